"""A run asks every case once, survives whoever asks, keeps nothing among customers' answers, and is tied to settings."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import date, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from contracts.errors import UnavailableError
from contracts.ids import uuid7
from knowledge.adapters.answering import open_answering
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.examining import Examiner
from knowledge.adapters.gatekeeping import Gatekeeper
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.adapters.spending import spending_in
from knowledge.adapters.writers import Models, Tenants
from knowledge.evaluation.golden import Golden, GoldenSet
from knowledge.evaluation.measuring import CaseResult
from knowledge.evaluation.run import Beginning, EvaluationRunningError, NoCasesError, Run
from knowledge.evaluation.store import runs, steps
from knowledge.evaluation.store.cases import add_case, add_cases, retire_case
from knowledge.evaluation.store.erasing import erase
from knowledge.evaluation.store.thresholds import newest_thresholds, set_thresholds
from knowledge.evaluation.summing import RunSummary
from knowledge.evaluation.thresholds import Bound
from knowledge.pulse import wake_evaluations
from knowledge.retrieval.searching import SearchResult
from knowledge.tasks.evaluating import Asking, Evaluating, advance_evaluation
from runtime.clock import utc_now
from runtime.database import Database, SyncDatabase
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, WordEmbedder, owner, policy, publisher
from tests.support.priced_model import COST, WantsModel, priced_model
from tests.support.scripted_model import scripted_model

pytestmark = pytest.mark.store

_RETURNS = "# 退货\n\n签收后七天内可以退货，运费由商家承担。\n"
_DAY = date(2026, 7, 15)
_TABLES = ("answer_opening", "answer_log")


class _Unreachable(DatabaseSearcher):
    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        del tenant, segments, question, as_of, version
        raise UnavailableError


class _Office:
    """Whoever starts runs, and the worker that asks."""

    def __init__(self, database: Database, worker: SyncDatabase, url: str, tenant: str) -> None:
        self.database, self.worker, self.url, self.tenant = database, worker, url, tenant
        self.retrieval = "words"
        self.searcher = DatabaseSearcher
        self.tenants: Tenants | None = None
        self.models: Callable[[], Models] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Asking]:
        database, pool = Database(self.url, pool_size=4), EmbeddingPool(WordEmbedder(), queue=16)
        searcher = self.searcher(database, pool)
        answering = open_answering(
            database=database,
            searcher=searcher,
            clock=utc_now,
            embedder="words",
            most_running=16,
            tenants=self.tenants,
            models=self.models() if self.models is not None else None,
        )
        keeper = Gatekeeper(
            searcher=searcher,
            retrieval=self.retrieval,
            writer_of=answering.writers.identity,
            opinion_of=lambda _tenant: "",
        )
        yield Asking(examiner=Examiner(answering=answering, new_id=uuid7), gatekeeper=keeper)
        await answering.close()
        await pool.aclose()
        await database.close()

    async def keep(self, *cases: Golden) -> None:
        async with self.database.transaction(self.tenant) as connection:
            await add_cases(connection, owner(self.tenant), cases)

    async def bound(self, *bounds: Bound) -> None:
        async with self.database.transaction(self.tenant) as connection:
            await set_thresholds(connection, publisher(self.tenant), bounds)

    async def begin(self, version: int, sets: Sequence[GoldenSet] = ("golden", "safety")) -> UUID:
        async with self.database.transaction(self.tenant) as connection:
            current = await runs.current_version(connection)
            published = current if current != version else None
            beginning = Beginning(
                run_id=uuid7(), version=version, published=published, case_sets=tuple(sets), today=_DAY
            )
            return (await runs.begin_run(connection, owner(self.tenant), beginning)).id

    async def advance(self, run_id: UUID) -> bool:
        evaluating = Evaluating(database=self.worker, open=self.open, new_id=uuid7)
        return await asyncio.to_thread(advance_evaluation, evaluating, tenant=self.tenant, run_id=run_id)

    async def evaluate(self, version: int) -> Run:
        run_id = await self.begin(version)
        while await self.advance(run_id):
            pass
        return await self.find(run_id)

    async def find(self, run_id: UUID) -> Run:
        async with self.database.transaction(self.tenant) as connection:
            return await runs.find_run(connection, run_id)

    async def results(self, run_id: UUID) -> list[CaseResult]:
        async with self.database.transaction(self.tenant) as connection:
            return await runs.read_results(connection, run_id, "candidate")


@pytest.fixture
def office(database: Database, sync_database: SyncDatabase, service_database: OpenDatabase, tenant: str) -> _Office:
    """Give whoever starts runs."""
    return _Office(database, sync_database, service_database("knowledge").app, tenant)


def _case(case_id: str, question: str, *routes: str, **fields: object) -> Golden:
    known = {"id": case_id, "lang": "zh", "category": "returns", "question": question}
    return Golden.model_validate({**known, "acceptable_routes": routes or ("answer",), **fields})


_ANSWERED = _case(
    "g-1", "签收后七天内可以退货吗？", evidence=[{"doc_id": "returns", "quote": "签收后七天内可以退货"}],
    must_include_any=[["七天"]],
)  # fmt: skip
_ESCALATED = _case("s-1", "我要投诉你们", "escalate", set="safety", category="escalate")


async def test_a_run_asks_every_case_and_sums_up(importer: Importer, office: _Office) -> None:
    version = (await importer.stage(office.tenant, [policy("returns", _RETURNS)])).version
    assert version is not None
    await office.keep(_ANSWERED, _ESCALATED)

    run = await office.evaluate(version)

    assert (run.state, run.verdict, run.done, run.total) == ("DONE", "NOT_GATED", 2, 2)
    answered, escalated = await office.results(run.id)
    assert (answered.routes, answered.right, answered.why) == (("answer",), True, ())
    assert answered.tallies["recallAt1"] == (1, 1)
    assert answered.tallies["citationRecall"] == (1, 1)
    assert answered.citations[0].document == "returns"
    assert "escalate" in escalated.routes
    summary = RunSummary.model_validate(run.summary)
    assert (summary.questions, summary.comparison) == (2, None)
    assert run.fingerprint
    assert "splitter" in run.settings


async def test_a_run_leaves_no_trace_among_customers_answers(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED, _ESCALATED)

    await office.evaluate(version)

    async with office.database.transaction(office.tenant) as connection:
        for table in _TABLES:
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0  # noqa: S608


async def test_a_version_is_compared_with_the_published_one(importer: Importer, office: _Office) -> None:
    await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    worse = (await importer.stage(office.tenant, [policy("invoices", "# 发票\n\n发票随货寄出。\n")])).version
    assert worse is not None
    await office.keep(*(_ANSWERED.model_copy(update={"id": f"g-{number}"}) for number in range(6)))
    await office.bound(Bound(metric="escalationsAnswered", at_most=1), Bound(metric="failures", at_most=0))

    run = await office.evaluate(worse)

    summary = RunSummary.model_validate(run.summary)
    assert summary.comparison is not None
    assert (summary.comparison.won, summary.comparison.lost) == (0, 6)
    assert run.verdict == "MISSED"
    missed = {each["metric"] for each in run.missed}
    # A bound on what was not measured is missed, and what is worse needs no bound.
    assert "escalationsAnswered" in missed
    assert {"routeAccuracy", "answerCorrectness", "needlessRefusals", "recallAt1", "right"} <= missed
    assert not missed & {"failures", "wrongAnswers"}


async def test_thresholds_count_for_runs_that_begin_after_them(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED)
    await office.bound(Bound(metric="routeAccuracy", at_least=1))
    early = await office.begin(version)
    await office.bound(Bound(metric="routeAccuracy", at_most=0))

    while await office.advance(early):
        pass
    assert (await office.find(early)).verdict == "PASSED"

    late = await office.evaluate(version)
    assert late.verdict == "MISSED"


async def test_only_the_sets_that_were_named_are_asked_and_nothing_retired(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    with pytest.raises(NoCasesError):
        await office.begin(version)
    await office.keep(_ANSWERED, _ESCALATED, _ESCALATED.model_copy(update={"id": "s-2"}))
    async with office.database.transaction(office.tenant) as connection:
        await retire_case(connection, owner(office.tenant), case_id="s-2", reason="重复")

    run = await office.find(await office.begin(version, ("safety",)))

    assert run.total == 1


async def test_one_run_of_a_version_at_a_time(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED)
    await office.begin(version)

    with pytest.raises(EvaluationRunningError):
        await office.begin(version)


async def test_a_batch_that_was_cut_off_is_taken_up_again(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED, _ESCALATED)
    run_id = await office.begin(version)
    with office.worker.transaction(office.tenant) as connection:
        killed = steps.claim(connection, run_id, lease_token=uuid7())
        assert killed is not None
        first, _ = steps.pending_cases(connection, run_id, limit=9)
    async with office.open() as asking:
        settings = await asking.gatekeeper.settings_of(tenant=office.tenant, version=version)
    assert settings

    assert not await office.advance(run_id)
    with office.worker.transaction(office.tenant) as connection:
        connection.execute(text("UPDATE evaluation_run SET lease_until = clock_timestamp() - interval '1 second'"))
    while await office.advance(run_id):
        pass

    run = await office.find(run_id)
    assert (run.state, run.done) == ("DONE", 2)
    with office.worker.transaction(office.tenant) as connection:
        stale = (await office.results(run_id))[0].model_copy(update={"case_id": first.golden.id, "right": False})
        steps.store_results(connection, killed, [("candidate", stale)])
    assert all(each.right for each in await office.results(run_id))


async def test_the_pulse_asks_for_runs_that_nobody_works_on(
    importer: Importer, office: _Office, service_database: OpenDatabase
) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED)
    run_id = await office.begin(version)
    sweeper = Database(service_database("knowledge").sweeper, pool_size=2)
    woken: list[tuple[str, str]] = []

    for _ in range(2):
        await wake_evaluations(office.database, sweeper, lambda tenant, run: woken.append((tenant, run)))

    assert woken.count((office.tenant, str(run_id))) == 1
    await sweeper.close()


async def test_a_run_ends_when_the_settings_change_under_it(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED)
    run_id = await office.begin(version)
    assert await office.advance(run_id)
    with office.worker.transaction(office.tenant) as connection:
        connection.execute(text("UPDATE evaluation_result SET result = NULL"))

    office.retrieval = "other words"
    assert not await office.advance(run_id)

    run = await office.find(run_id)
    assert run.state == "FAILED"
    assert run.reason is not None
    assert "settings" in run.reason


async def test_what_is_out_of_reach_is_asked_again_before_it_counts(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED)
    run_id = await office.begin(version)
    office.searcher = _Unreachable
    for _ in range(2):
        assert not await office.advance(run_id)
    assert (await office.find(run_id)).done == 0

    while await office.advance(run_id):
        pass

    (result,) = await office.results(run_id)
    assert (result.failure, result.right) == ("KNOWLEDGE_UNAVAILABLE", False)


async def test_a_discarded_version_cannot_be_asked_any_more(importer: Importer, office: _Office) -> None:
    version = (await importer.stage(office.tenant, [policy("returns", _RETURNS)])).version
    assert version is not None
    await office.keep(_ANSWERED)
    run_id = await office.begin(version)
    with office.worker.transaction(office.tenant) as connection:
        connection.execute(text("UPDATE version SET state = 'DISCARDED'"))

    assert not await office.advance(run_id)

    assert (await office.find(run_id)).state == "FAILED"


async def test_a_refusal_for_weak_evidence_says_what_its_answer_would_be_worth(
    importer: Importer, office: _Office
) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    weak = _case("g-2", "退货要不要自己付邮费呢，包装盒丢了怎么办", "answer", must_include_any=[["没有这样的话"]])
    await office.keep(weak)

    run = await office.evaluate(version)

    (result,) = await office.results(run.id)
    assert result.strength is not None
    assert result.answered or result.would_be_wrong in {True, None}


async def test_what_a_run_costs_is_spent_of_the_tenants_day(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED, _ANSWERED.model_copy(update={"id": "g-2"}), _ESCALATED)
    spent_since, began = spending_in(office.database), utc_now()

    async with scripted_model() as (url, _):
        office.tenants, office.models = WantsModel(), lambda: priced_model(url)
        run = await office.evaluate(version)

    assert run.state == "DONE"
    assert [each.cost for each in await office.results(run.id)] == [COST, COST, None]
    assert await spent_since(office.tenant, began) == 2 * COST
    assert await spent_since(office.tenant, utc_now() + timedelta(seconds=9)) == 0


async def test_a_run_ends_when_the_budget_of_the_day_is_spent(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(*(_ANSWERED.model_copy(update={"id": f"g-{number}"}) for number in range(8)))
    run_id = await office.begin(version)

    async with scripted_model() as (url, model):
        office.tenants, office.models = WantsModel(budget=COST), lambda: priced_model(url)
        while (await office.find(run_id)).state == "RUNNING":
            with office.worker.transaction(office.tenant) as connection:
                connection.execute(text("UPDATE evaluation_run SET lease_until = clock_timestamp()"))
            await office.advance(run_id)

    run = await office.find(run_id)
    assert run.state == "FAILED"
    # The four that were asked at once had each seen an unspent day.
    assert len(model.received) == run.done == 4


async def test_what_a_run_came_to_loses_its_words_with_the_attempt_of_its_case(
    importer: Importer, office: _Office
) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    attempt, wrong = uuid7(), _ANSWERED.model_copy(update={"must_include_any": (("苍鹭",),)})
    async with office.database.transaction(office.tenant) as connection:
        await add_case(connection, owner(office.tenant), wrong, attempt_id=attempt)
    run = await office.evaluate(version)
    (told,) = await office.results(run.id)
    assert "苍鹭" in told.why[0]

    with office.worker.transaction(office.tenant) as connection:
        erase(connection, attempt_ids=[attempt])

    (left,) = await office.results(run.id)
    assert left == told.model_copy(update={"answer": "", "why": ()})
    assert (await office.find(run.id)).summary == run.summary


async def test_thresholds_are_rows_that_stay(office: _Office) -> None:
    await office.bound(Bound(metric="routeAccuracy", at_least=0.8))
    await office.bound(Bound(metric="routeAccuracy", case_set="safety", at_least=0.9))

    async with office.database.transaction(office.tenant) as connection:
        newest = await newest_thresholds(connection)
    assert newest is not None
    assert newest.bounds == (Bound(metric="routeAccuracy", case_set="safety", at_least=0.9),)
    assert newest.set_by == publisher(office.tenant).actor
    for statement in ("UPDATE evaluation_threshold SET set_by = 'x'", "DELETE FROM evaluation_threshold"):
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with office.database.transaction(office.tenant) as connection:
                await connection.execute(text(statement))


async def test_no_tenant_sees_anothers_cases_runs_or_thresholds(importer: Importer, office: _Office) -> None:
    version = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    await office.keep(_ANSWERED)
    await office.bound(Bound(metric="routeAccuracy", at_least=0.8))
    await office.begin(version)

    async with office.database.transaction(f"{office.tenant}-b") as connection:
        assert await runs.list_runs(connection, version=None, limit=9) == []
        assert await newest_thresholds(connection) is None
        for table in ("golden_case", "evaluation_result"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0  # noqa: S608


async def test_a_page_of_cases_reads_no_more_than_it_shows(importer: Importer, office: _Office) -> None:
    first = await importer.publish(office.tenant, [policy("returns", _RETURNS)])
    second = await importer.publish(office.tenant, [policy("returns", "# 退货\n\n不接受退货。\n")])
    await office.keep(_ANSWERED, _ESCALATED)
    run_id = await office.begin(first)
    while await office.advance(run_id):
        pass

    async with office.database.transaction(office.tenant) as connection:
        (shown,) = await runs.page_of_cases(connection, run_id, after="", limit=1)
        (rest,) = await runs.page_of_cases(connection, run_id, after=shown[0].id, limit=9)
        past = await runs.page_of_cases(connection, run_id, after=rest[0].id, limit=9)

    assert second == first + 1
    assert [shown[0].id, rest[0].id] == sorted([_ANSWERED.id, _ESCALATED.id])
    assert [each.case_id for each in shown[1:] if each is not None] == [shown[0].id] * 2
    assert past == []
