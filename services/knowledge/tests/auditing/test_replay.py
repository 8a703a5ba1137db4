"""A replay of an attempt comes to what the log says, and names whatever does not."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import uuid4

import pytest
import yaml
from sqlalchemy import text

from knowledge.adapters.answering import Answering, open_answering
from knowledge.adapters.replaying import replay
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart, Usage, Written
from knowledge.answering.log import Asked
from knowledge.answering.store import erase_customer
from knowledge.asking import answer
from knowledge.auditing.replaying import AttemptNotFoundError, AttemptOpenError, Replay
from knowledge.validation.second_opinion import Doubt, Spend
from runtime.clock import utc_now
from runtime.database import Database, SyncDatabase
from tests.support.answering import make_asked
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store

_QUESTION = "茶壶几天内可以退？"
_RETURNS = policy("returns", "# 退货\n\n茶壶可以在九天内退回。但刻字的除外。\n")
_CARE = policy("care", "# 保养\n\n茶壶每天用清水冲洗。\n")
_USAGE = Usage(model="m1", input_tokens=9, output_tokens=9, finish_reason="stop", prompt_version="p1")


class ScriptedWriter:
    """A model that promises too much, and then less in words of its own."""

    name = "openai"

    def __init__(self) -> None:
        self.calls = 0

    async def write(self, brief: Brief) -> Written:
        self.calls += 1
        place = next(at for at, found in enumerate(brief.context.found) if "九天" in found.passage.text)
        quotes = ("茶壶可以在九天内退回。", "但刻字的除外。")
        texts = ("茶壶可以在九十天内退回。" if self.calls == 1 else "买的茶壶可以在九天内退回。", quotes[1])
        draft = Draft(
            refusal=None, missing_facts=(), raw="".join(texts),
            citations=tuple(DraftCitation(brief.handles[place], quote) for quote in quotes),
            parts=tuple(
                DraftPart(kind="statement", text=said, citations=(at,), question_part=None)
                for at, said in enumerate(texts, start=1)
            ),
        )  # fmt: skip
        return Written(draft=draft, usage=_USAGE)


class Translator:
    """A model that words its answer in another language than the passage, so that code cannot decide."""

    name = "openai"

    async def write(self, brief: Brief) -> Written:
        place = next(at for at, found in enumerate(brief.context.found) if "买家" in found.passage.text)
        part = DraftPart(
            kind="statement", text="The buyer pays the return shipping.", citations=(1,), question_part=None
        )
        cited = (DraftCitation(brief.handles[place], "退货的运费由买家承担。"),)
        draft = Draft(refusal=None, missing_facts=(), raw=part.text, citations=cited, parts=(part,))
        return Written(draft=draft, usage=_USAGE)


class CountingOpinion:
    """Supports every claim, or none."""

    def __init__(self, *, says: bool) -> None:
        self.says, self.calls = says, 0

    async def supports(self, tenant: str, doubts: tuple[Doubt, ...], *, spend: Spend) -> bool:
        del spend
        assert tenant
        assert doubts
        self.calls += 1
        return self.says


@pytest.fixture
async def answering(database: Database, searcher: DatabaseSearcher) -> AsyncIterator[Answering]:
    opened = open_answering(database=database, searcher=searcher, clock=utc_now, embedder="words", most_running=8)
    yield opened
    await opened.close()


def asked_of(tenant: str, question: str = _QUESTION) -> Asked:
    day = date(2026, 7, 15)
    return replace(make_asked(question), tenant=tenant, attempt_id=uuid4(), as_of=day)


async def ended(answering: Answering, asked: Asked) -> Asked:
    await (await answering.attempts.take_up(asked, seconds=30))
    return asked


async def replayed(answering: Answering, database: Database, asked: Asked) -> Replay:
    return await replay(answering, database, tenant=asked.tenant, attempt_id=asked.attempt_id, time_zone="UTC")


def fields_of(found: Replay) -> set[str]:
    return {each.field for each in found.differences}


async def change_policy(service_database: OpenDatabase, tenant: str, **thresholds: float) -> None:
    owner = Database(service_database("knowledge").owner, pool_size=1)
    async with owner.transaction(tenant) as connection:
        said: dict[str, Any] = yaml.safe_load(
            (await connection.execute(text("SELECT routing_policy FROM version"))).scalars().one()
        )  # YAML
        said["thresholds"] = {**said.get("thresholds", {}), **thresholds}
        changed = text("UPDATE version SET routing_policy = :said")
        await connection.execute(changed, {"said": yaml.safe_dump(said, allow_unicode=True)})
    await owner.close()


@pytest.mark.parametrize("question", [_QUESTION, "我要投诉你们", "茶壶几天内可以退？怎么保养？", "火车几点开？"])
async def test_a_fresh_attempt_comes_out_as_it_was_logged(
    importer: Importer, answering: Answering, database: Database, tenant: str, question: str
) -> None:
    await importer.publish(tenant, [_RETURNS, _CARE])
    asked = await ended(answering, asked_of(tenant, question))

    found = await replayed(answering, database, asked)

    assert found.differences == ()
    assert (found.settings_differ, found.withdrawn) == (False, ())
    assert all(each.logged == each.now for each in found.drafts)


@pytest.mark.parametrize("says", [True, False])
async def test_a_second_opinion_is_what_it_was_and_not_asked_for_again(
    importer: Importer, answering: Answering, database: Database, tenant: str, *, says: bool
) -> None:
    await importer.publish(tenant, [policy("fee", "# 运费\n\n退货的运费由买家承担。\n")])
    asked, opinion = asked_of(tenant, "退货的运费由谁承担？"), CountingOpinion(says=says)
    means = replace(answering.means, second_opinion=opinion)
    await answering.log.open(asked)
    closing = await answer(asked, means=replace(means, writer=Translator(), seconds=lambda: 0.0, deadline_seconds=30.0))
    calls = opinion.calls

    # The model has changed its mind since.
    opinion.says = not says
    found = await replayed(replace(answering, means=means), database, asked)

    assert closing.drafts[0].writer == "openai"
    assert (not closing.drafts[0].faults) is says
    assert (calls > 0, opinion.calls) == (True, calls)
    assert found.differences == ()
    assert all(each.logged == each.now for each in found.drafts)


async def test_an_attempt_is_held_to_its_version(
    importer: Importer, answering: Answering, database: Database, tenant: str
) -> None:
    first = await importer.publish(tenant, [_RETURNS])
    asked = await ended(answering, asked_of(tenant))
    await importer.publish(tenant, [policy("returns", "# 退货\n\n茶壶可以在三十天内退回。\n")])

    found = await replayed(answering, database, asked)

    assert found.kept.closing.version == first
    assert found.differences == ()


async def test_drafts_of_a_model_are_judged_again_and_not_asked_for_again(
    importer: Importer, answering: Answering, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS, _CARE])
    asked, writer = asked_of(tenant), ScriptedWriter()
    await answering.log.open(asked)
    means = replace(answering.means, writer=writer, seconds=lambda: 0.0, deadline_seconds=30.0)
    closing = await answer(asked, means=means)

    found = await replayed(answering, database, asked)

    assert closing.outcome is not None
    assert not closing.outcome.refused
    assert writer.calls == 2
    assert found.differences == ()
    assert found.drafts[0].writer == "openai"
    assert found.drafts[0].logged == found.drafts[0].now == ("NUMBER_NOT_IN_QUOTE (part 1)",)
    assert found.drafts[1].now == ()


@pytest.mark.parametrize(
    ("thresholds", "fields"),
    [
        ({"refuse_below": 1e6, "answer_from": 1e6}, {"strength", "verdict of draft 1", "outcome", "cause"}),
        ({"claim_overlap": 1.0}, {"verdict of draft 1", "outcome"}),
    ],
)
async def test_a_changed_threshold_shows(
    importer: Importer,
    answering: Answering,
    database: Database,
    service_database: OpenDatabase,
    tenant: str,
    thresholds: dict[str, float],
    fields: set[str],
) -> None:
    await importer.publish(tenant, [_RETURNS, _CARE])
    asked, writer = asked_of(tenant), ScriptedWriter()
    writer.calls = 1
    await answering.log.open(asked)
    means = replace(answering.means, writer=writer, seconds=lambda: 0.0, deadline_seconds=30.0)
    await answer(asked, means=means)
    await change_policy(service_database, tenant, **thresholds)

    found = await replayed(answering, database, asked)

    assert found.differences
    assert fields_of(found) & fields


async def test_a_withdrawn_passage_is_named(
    importer: Importer, answering: Answering, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS, _CARE])
    asked = await ended(answering, asked_of(tenant))
    await importer.withdraw(tenant, "returns")

    found = await replayed(answering, database, asked)

    assert {each.document for each in found.withdrawn} == {"returns"}
    assert {"policy context", "outcome"} <= fields_of(found)


async def test_an_erased_attempt_is_not_run(
    importer: Importer, answering: Answering, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    version = await importer.publish(tenant, [_RETURNS, _CARE])
    asked = await ended(answering, asked_of(tenant))
    with sync_database.transaction(tenant) as connection:
        erase_customer(connection, tenant=tenant, attempt_ids=[asked.attempt_id])

    found = await replayed(answering, database, asked)

    assert found.kept.erased_at is not None
    assert (found.kept.closing.version, found.kept.asked.masked_question) == (version, "")
    assert (found.differences, found.drafts) == ((), ())


async def test_other_settings_are_told(
    importer: Importer, answering: Answering, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS])
    asked = await ended(answering, asked_of(tenant))

    def another(tenant: str) -> str:
        return f"another {tenant}"

    found = await replayed(replace(answering, fingerprint_of=another), database, asked)

    assert found.settings_differ


async def test_an_attempt_that_runs_or_never_was_is_no_replay(
    answering: Answering, database: Database, tenant: str
) -> None:
    asked = asked_of(tenant)
    with pytest.raises(AttemptNotFoundError):
        await replayed(answering, database, asked)

    await answering.log.open(asked)

    with pytest.raises(AttemptOpenError):
        await replayed(answering, database, asked)


async def test_a_replay_leaves_nothing_behind(
    importer: Importer, answering: Answering, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [_RETURNS])
    asked = await ended(answering, asked_of(tenant))

    async def count() -> list[int]:
        async with database.transaction(tenant) as connection:
            tables = ("answer_opening", "answer_log", "answer_cause", "answer_unsealed", "review_item")
            counts = [await connection.execute(text(f"SELECT count(*) FROM {table}")) for table in tables]  # noqa: S608 - ours
            return [each.scalar_one() for each in counts]

    before = await count()
    await replayed(answering, database, asked)

    assert await count() == before
