"""A question lives from route to log, and everything it did is in the log."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import date
from typing import TypeVar
from uuid import UUID

from contracts.errors import UnavailableError
from contracts.reasons import FailureCode, RefusalCause, RefusalReason
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.log import Asked, Closing
from knowledge.asking import Means, answer, explain
from knowledge.versions.routing_policy import Bounds
from tests.support.answering import (
    NOON,
    FakeLog,
    FakeSearcher,
    compute_here,
    counting_handles,
    make_asked,
    make_passage,
    make_policy,
    no_stage,
)

_Result = TypeVar("_Result")

RETURNS = make_passage("茶壶可以在九天内退回。但刻字的除外。", document="returns", heading="退货")
FREIGHT = make_passage("退货的运费由买家承担。", document="freight", heading="运费")


def means_for(searcher: FakeSearcher, log: FakeLog | None = None) -> Means:
    writer = ExtractiveWriter(compute_here)
    return Means(
        searcher=searcher,
        writer=writer,
        fallback=writer,
        log=log or FakeLog(),
        compute=compute_here,
        stage=no_stage,
        seconds=lambda: 0.0,
        deadline_seconds=30.0,
        now=lambda: NOON,
        new_handle=counting_handles(),
    )


async def ask(asked: Asked | str, searcher: FakeSearcher, log: FakeLog | None = None) -> Closing:
    asked = make_asked(asked) if isinstance(asked, str) else asked
    return await answer(asked, means=means_for(searcher, log))


async def test_a_question_with_evidence_is_answered_with_citations() -> None:
    closing = await ask("茶壶几天内可以退？", FakeSearcher((RETURNS, FREIGHT)))

    outcome = closing.outcome
    assert outcome is not None
    assert (outcome.refused, outcome.coverage, outcome.handoff) == (False, "full", "none")
    assert outcome.answer == "我们的政策写明：\n茶壶可以在九天内退回。但刻字的除外。"
    first = closing.citations[0]
    assert (first.view.quote, first.passage_id) == ("茶壶可以在九天内退回。", RETURNS.passage_id)
    assert RETURNS.text[first.start : first.end] == first.view.quote
    assert first.view.detail_url == f"/v1/attempts/att_{UUID(int=1).hex}/citations/1"


async def test_two_questions_in_one_are_answered_part_by_part() -> None:
    closing = await ask("茶壶能退吗，运费谁承担？", FakeSearcher((RETURNS, FREIGHT)))

    assert closing.outcome is not None
    said = [(part.question_part, part.text.strip()) for part in closing.outcome.parts if part.kind == "statement"]
    assert ("茶壶能退吗", "茶壶可以在九天内退回。") in said
    assert ("运费谁承担？", "退货的运费由买家承担。") in said
    assert closing.read_as == ("茶壶能退吗", "运费谁承担？")


async def test_a_denied_wish_is_not_searched_for() -> None:
    searcher = FakeSearcher(passages=(RETURNS,))
    await ask("不用转人工，茶壶能退吗？", searcher)

    assert searcher.searched == ["茶壶能退吗？"]


async def test_an_escalation_topic_is_never_searched() -> None:
    searcher = FakeSearcher((RETURNS,))

    closing = await ask("我要投诉，茶壶能退吗？", searcher)

    assert searcher.searched == []
    assert closing.outcome is not None
    assert (closing.outcome.reason_code, closing.outcome.handoff) == (RefusalReason.ESCALATION_TOPIC, "required")
    assert (closing.route, closing.route_rule) == (RefusalReason.ESCALATION_TOPIC, "complaint")


async def test_every_cause_of_no_evidence_reads_the_same() -> None:
    nothing = await ask("谁送货？", FakeSearcher())
    weak = await ask("谁送货？", FakeSearcher((RETURNS,), strength="low"))
    withdrawn = await ask("茶壶几天内可以退？", FakeSearcher((RETURNS,), withdrawn={RETURNS.passage_id}))
    assert withdrawn.outcome is not None
    assert withdrawn.outcome.suggestions == ()

    assert nothing.outcome == weak.outcome
    assert weak.outcome is not None
    assert withdrawn.outcome is not None
    assert withdrawn.outcome.answer == weak.outcome.answer
    assert [closing.cause for closing in (nothing, weak, withdrawn)] == [
        RefusalCause.NOTHING_RETRIEVED,
        RefusalCause.BELOW_THRESHOLD,
        RefusalCause.NOT_IN_FORCE,
    ]


async def test_the_middle_band_offers_the_nearest_sections() -> None:
    closing = await ask("谁送货？", FakeSearcher((FREIGHT, RETURNS), strength="medium"))

    assert closing.outcome is not None
    assert closing.outcome.refused
    assert [suggestion.label for suggestion in closing.outcome.suggestions] == [
        "Title of freight：运费",
        "Title of returns：退货",
    ]


async def test_a_missing_fact_offers_the_cases_the_rule_names() -> None:
    passage = make_passage("订单状态是“未发货”的可以取消；状态是“已发货”的不可以。", requires_facts=("orderStatus",))

    closing = await ask("订单能取消吗？", FakeSearcher((passage,)))

    assert closing.outcome is not None
    assert closing.outcome.missing_facts == ("orderStatus",)
    assert [suggestion.facts for suggestion in closing.outcome.suggestions] == [
        {"orderStatus": "未发货"},
        {"orderStatus": "已发货"},
    ]


async def test_another_day_is_said_first() -> None:
    asked = replace(make_asked("茶壶几天内可以退？"), as_of=date(2026, 3, 1))

    closing = await ask(asked, FakeSearcher((RETURNS,)))

    assert closing.outcome is not None
    assert closing.outcome.answer.startswith("以下回答以 2026-03-01 有效的政策为准。\n")
    assert "现行" not in closing.outcome.answer


async def test_a_lost_database_is_a_failure_and_closes_the_attempt() -> None:
    log = FakeLog()

    closing = await ask("茶壶能退吗？", FakeSearcher(trouble=UnavailableError()), log)

    assert (closing.outcome, closing.failure) == (None, FailureCode.KNOWLEDGE_UNAVAILABLE)
    assert log.closed[UUID(int=1)] == closing


async def test_no_time_left_is_a_failure() -> None:
    means = replace(means_for(FakeSearcher((RETURNS,))), deadline_seconds=-1.0)

    closing = await answer(make_asked("茶壶能退吗？"), means=means)

    assert closing.failure is FailureCode.KNOWLEDGE_TIMEOUT


async def test_the_cause_is_found_after_the_answer_is_stored() -> None:
    searcher = FakeSearcher(kept_back={"谁送货？": RefusalCause.FILTERED_BY_ACCESS})
    log, asked = FakeLog(), make_asked("谁送货？")
    closing = await ask(asked, searcher, log)

    cause = await explain(asked, closing, searcher=searcher, log=log)

    assert cause is RefusalCause.FILTERED_BY_ACCESS
    assert log.causes == {asked.attempt_id: RefusalCause.FILTERED_BY_ACCESS}


async def test_a_refusal_is_explained_by_the_parts_as_they_were_searched() -> None:
    searcher, log, asked = FakeSearcher(), FakeLog(), make_asked("茶壶能退吗，运费谁承担？")
    closing = await ask(asked, searcher, log)
    searcher.kept_back[closing.read_as[1]] = RefusalCause.NOT_IN_FORCE

    assert len(closing.read_as) == 2
    assert await explain(asked, closing, searcher=searcher, log=log) is RefusalCause.NOT_IN_FORCE


async def test_a_question_without_words_has_a_cause_like_any_other() -> None:
    searcher, log, asked = FakeSearcher((RETURNS,)), FakeLog(), make_asked("🙂🙂")
    closing = await ask(asked, searcher, log)

    assert closing.cause is RefusalCause.NOTHING_RETRIEVED
    assert await explain(asked, closing, searcher=searcher, log=log) is RefusalCause.NOTHING_RETRIEVED


async def test_a_known_cause_is_not_searched_for() -> None:
    log, searcher, asked = FakeLog(), FakeSearcher((RETURNS,)), make_asked("我要投诉")
    closing = await ask(asked, searcher, log)

    assert await explain(asked, closing, searcher=searcher, log=log) is None
    assert log.causes == {}


async def test_the_log_keeps_candidates_context_draft_and_times() -> None:
    closing = await ask("茶壶几天内可以退？", FakeSearcher((RETURNS, FREIGHT)))

    assert closing.context == (RETURNS.passage_id, FREIGHT.passage_id)
    assert [candidate.passage_id for candidate in closing.candidates] == list(closing.context)
    assert [draft.writer for draft in closing.drafts] == ["extractive"]
    assert closing.drafts[0].claimed[0] == (RETURNS.passage_id, "茶壶可以在九天内退回。")
    assert list(closing.stage_milliseconds) == ["route", "search", "gate", "write", "release"]
    assert (closing.version, closing.routing_policy, closing.strength) == (7, "test", "high")


async def test_what_takes_long_runs_off_the_event_loop() -> None:
    handed: list[str] = []

    async def compute(work: Callable[[], _Result], /) -> _Result:
        handed.append(life[-1])
        return work()

    life = [""]

    def stage(name: str) -> AbstractContextManager[None]:
        life.append(name)
        return nullcontext()

    means = replace(means_for(FakeSearcher((RETURNS,))), compute=compute, stage=stage)
    await answer(make_asked("茶壶几天内可以退？"), means=means)

    assert handed == ["route", "gate", "write"]


async def test_the_same_question_gives_the_same_answer() -> None:
    searcher = FakeSearcher((RETURNS, FREIGHT))

    first, second = [await ask("茶壶能退吗，运费谁承担？", searcher) for _ in range(2)]

    assert first.outcome == second.outcome


async def test_an_answer_keeps_to_the_bounds_of_its_tenant() -> None:
    rules = make_passage("茶壶退货要先填写申请表。茶壶退货要写明茶壶退货原因。茶壶退货要附上茶壶照片。")
    policy = make_policy().model_copy(update={"bounds": Bounds(citations_per_answer=2)})

    closing = await ask("茶壶退货要什么？", FakeSearcher((rules,), policy=policy))

    assert closing.outcome is not None
    assert not closing.outcome.refused
    assert len(closing.citations) == 2
