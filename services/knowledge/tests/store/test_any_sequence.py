"""Whatever is imported, published, withdrawn or rolled back, and however time passes: a search finds exactly what may serve.

A small model in Python says what may: what the asked version holds, is in force on the day, is meant for the customer
and is not withdrawn, of this tenant alone. After every act the search of the product has to find just that.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from contracts.ids import uuid7
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.tasks.bench import Bench
from knowledge.versions.store import releases
from runtime.database import Database, SyncDatabase
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, WordEmbedder, policy, publisher

pytestmark = pytest.mark.store

_START: Final = date(2026, 7, 1)
_SLUGS: Final = ("a", "b")
# First days of a label, and the last day it may declare: however they are combined, ranges of a document never overlap.
_WINDOWS: Final[dict[str, tuple[int | None, int]]] = {"1": (None, 3), "2": (5, 8), "3": (10, 12)}
_QUESTION: Final = "运费"


@dataclass(frozen=True, slots=True)
class _Revision:
    slug: str
    label: str
    number: int
    audience: str
    declares_end: bool

    @property
    def body(self) -> str:
        """Give the text; few different ones, so that a withdrawn text comes back."""
        return f"运费第{self.number}种。"

    @property
    def first(self) -> date:
        """Give the first day."""
        begins = _WINDOWS[self.label][0]
        return date.min if begins is None else _START + timedelta(days=begins)

    @property
    def declared(self) -> date | None:
        """Give the last day, if its author wrote one."""
        return _START + timedelta(days=_WINDOWS[self.label][1]) if self.declares_end else None


@dataclass(slots=True)
class _Tenant:
    """What the model knows of a tenant. `built` are versions by number, in the states a publisher may choose from."""

    name: str
    built: dict[int, frozenset[_Revision]] = field(default_factory=dict[int, frozenset[_Revision]])
    base: dict[int, int | None] = field(default_factory=dict[int, "int | None"])
    current: int | None = None
    was_published: set[int] = field(default_factory=set[int])
    withdrawn: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    known: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def served(self, version: int, *, segments: tuple[str, ...], day: date) -> set[tuple[str, str, str]]:
        """Say what a customer may find in a version on a day."""
        held = self.built[version]
        return {
            (each.slug, each.label, each.body)
            for each in held
            if each.audience in {*segments, "public"}
            and each.first <= day <= _last(each, held)
            and (each.slug, each.body) not in self.withdrawn
        }


def _last(revision: _Revision, held: frozenset[_Revision]) -> date:
    if revision.declared is not None:
        return revision.declared
    later = [each.first for each in held if each.slug == revision.slug and each.first > revision.first]
    return min(later) - timedelta(days=1) if later else date.max


_REVISION: Final = st.builds(
    _Revision,
    slug=st.sampled_from(_SLUGS),
    label=st.sampled_from(tuple(_WINDOWS)),
    number=st.integers(1, 3),
    audience=st.sampled_from(("public", "vip")),
    declares_end=st.booleans(),
)
_SET: Final = st.lists(_REVISION, min_size=1, max_size=4, unique_by=lambda each: (each.slug, each.label))
_WHO: Final = st.integers(0, 1)


class _Installation(RuleBasedStateMachine):
    """Two tenants of one installation, driven through the product and through the model."""

    database: Database
    searcher: DatabaseSearcher
    bench: Bench
    runner: asyncio.Runner

    def __init__(self) -> None:
        """Begin on the first day with two tenants that have nothing."""
        super().__init__()
        self.today = _START
        self.tenants = [_Tenant(f"any-{uuid4().hex[:12]}") for _ in range(2)]
        self.importer = Importer(self.database, replace(self.bench, today=self._today))

    @initialize(revisions=_SET)
    def both_have_something(self, revisions: list[_Revision]) -> None:
        for who in range(2):
            self._import(self.tenants[who], revisions, additive=False)
            self.publish(who=who, pick=0)

    @rule(who=_WHO, revisions=_SET)
    def import_a_whole_set(self, who: int, revisions: list[_Revision]) -> None:
        self._import(self.tenants[who], revisions, additive=False)

    @rule(who=_WHO, revisions=_SET)
    def import_an_addition(self, who: int, revisions: list[_Revision]) -> None:
        self._import(self.tenants[who], revisions, additive=True)

    @rule(who=_WHO, pick=st.integers(0, 5))
    def publish(self, who: int, pick: int) -> None:
        tenant = self.tenants[who]
        waiting = [
            number
            for number in tenant.built
            if number not in tenant.was_published and tenant.base[number] in (None, tenant.current)
        ]
        if waiting:
            self._make_current(tenant, waiting[pick % len(waiting)])

    @rule(who=_WHO, pick=st.integers(0, 5))
    def roll_back(self, who: int, pick: int) -> None:
        tenant = self.tenants[who]
        numbers = sorted(tenant.was_published)
        self._make_current(tenant, numbers[pick % len(numbers)])

    @rule(who=_WHO, slug=st.sampled_from(_SLUGS))
    def withdraw(self, who: int, slug: str) -> None:
        tenant = self.tenants[who]
        texts = {each for each in tenant.known if each[0] == slug}
        if texts:
            self.runner.run(self.importer.withdraw(tenant.name, slug))
            tenant.withdrawn |= texts

    @rule(who=_WHO, slug=st.sampled_from(_SLUGS))
    def bring_back(self, who: int, slug: str) -> None:
        tenant = self.tenants[who]
        if any(each[0] == slug for each in tenant.known):
            self.runner.run(self.importer.restore(tenant.name, slug))
            tenant.withdrawn = {each for each in tenant.withdrawn if each[0] != slug}

    @rule(days=st.integers(1, 4))
    def let_time_pass(self, days: int) -> None:
        self.today += timedelta(days=days)

    @invariant()
    def a_search_finds_exactly_what_may_serve(self) -> None:
        for tenant in self.tenants:
            for segments in ((), ("vip",)):
                for day in {self.today, _START + timedelta(days=4)}:
                    self._compare(tenant, segments, day)

    def _today(self, tenant: str) -> date:
        del tenant
        return self.today

    def _compare(self, tenant: _Tenant, segments: tuple[str, ...], day: date) -> None:
        if tenant.current is None:
            return
        searching = self.searcher.search(tenant=tenant.name, segments=segments, question=_QUESTION, as_of=day)
        found = self.runner.run(searching)
        passages = [each.passage for each in found.context.found]
        assert found.serving.version == tenant.current
        assert len(found.context.candidates) == len(passages)
        served = tenant.served(tenant.current, segments=segments, day=day)
        assert {(each.document, each.revision, each.text) for each in passages} == served

    def _import(self, tenant: _Tenant, revisions: list[_Revision], *, additive: bool) -> None:
        files = [
            policy(
                each.slug,
                each.body,
                label=each.label,
                audience=[each.audience],
                effective_from=str(each.first) if each.first > date.min else None,
                effective_to=str(each.declared) if each.declared else None,
            )
            for each in revisions
        ]
        progress = self.runner.run(self.importer.stage(tenant.name, files, additive=additive))
        assert progress.version is not None, progress
        replaced = {(each.slug, each.label) for each in revisions}
        kept = tenant.built[tenant.current] if additive and tenant.current is not None else frozenset[_Revision]()
        held = frozenset({*revisions, *(each for each in kept if (each.slug, each.label) not in replaced)})
        tenant.built[progress.version] = held
        tenant.base[progress.version] = tenant.current if additive else None
        tenant.known |= {(each.slug, each.body) for each in revisions}

    def _make_current(self, tenant: _Tenant, number: int) -> None:
        async def making() -> None:
            async with self.database.transaction(tenant.name) as connection:
                if number not in tenant.was_published:
                    await releases.approve(connection, publisher(tenant.name), number=number)
                await releases.publish(connection, publisher(tenant.name), number=number, expected_current=None)

        self.runner.run(making())
        tenant.current = number
        tenant.was_published.add(number)


@pytest.fixture
def installation(service_database: OpenDatabase, sync_database: SyncDatabase) -> Iterator[type[_Installation]]:
    """Give the machine its database, its search and its worker."""
    url = service_database("knowledge").app
    with asyncio.Runner() as runner, ThreadPoolExecutor(1) as threads:
        database = Database(url, pool_size=2)
        pool = EmbeddingPool(WordEmbedder(), queue=16)

        class Installation(_Installation):
            pass

        Installation.database, Installation.runner = database, runner
        Installation.searcher = DatabaseSearcher(database, pool)
        Installation.bench = Bench(
            database=sync_database,
            embedder=WordEmbedder(),
            threads=threads,
            new_id=uuid7,
            today=lambda _: _START,
            mask_key=bytes(32),
        )
        yield Installation
        pool.close()
        runner.run(database.close())


def test_any_sequence_of_acts_serves_exactly_what_may_serve(installation: type[_Installation]) -> None:
    bounded = settings(
        max_examples=6,
        stateful_step_count=12,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        print_blob=True,
        # Making a failure smaller takes minutes; its steps are printed as they were.
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
    )

    run_state_machine_as_test(installation, settings=bounded)
