"""A worker is killed at every boundary of an import: the old version answers, and the new one is finished or discarded.

The workers are those of the product, over a real Postgres and a real Valkey; what kills one was done inside a process
that was forked for it. With YOUJU_FAULT_SEEDS=200 the kills at any moment come more often.
"""

import io
import json
import os
import random
import time
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

import psycopg
import pytest
from redis import Redis
from sqlalchemy.engine import make_url

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.jobs import Step
from knowledge.pulse import clear_leftovers, wake_imports
from knowledge.tasks.bench import Bench
from knowledge.tasks.imports import enqueue_step
from knowledge.tasks.leftovers import remove_leftovers
from knowledge.versions.store import imports
from runtime.database import Database
from runtime.queue import make_celery
from services.knowledge.tests.faults.dying import SMALL, Dying, Side, Small
from tests.faults.crew import Crew, await_death
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy
from youju.database_urls import for_psycopg

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

SEEDS: Final = max(int(os.environ.get("YOUJU_FAULT_SEEDS", "4")) // 4, 1)
WORKER: Final = "knowledge.worker"
_AWAITED_SECONDS: Final = 240
_LOOK_SECONDS: Final = 0.05
_LONGEST_LIFE_SECONDS: Final = 1.0
SIDES: Final[tuple[Side, Side]] = ("before", "after")
_STEPS: Final = tuple(step for step in Step if step is not Step.DONE)


def _archive(path: str, content: str) -> SourceFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as opened:
        opened.writestr(path, content)
    return SourceFile(path="policies.zip", content=held.getvalue(), header=None)


_OLD: Final = policy("returns", "# 退货\n\n三天内可以退货。\n", label="0")
_NEW: Final = (
    policy("returns", "# 退货\n\n## 期限\n\n七天内可以退货。\n\n## 运费\n\n运费由商家承担。\n"),
    policy("contact", "联系人电话15800002605。\n\n七天内答复。"),
    policy("copies", "# 保修\n\n保修期为两年，自签收之日起计算，凭发票到任何一家门店办理。\n"),
    policy("copied", "# 保修\n\n保修期为两年，自签收之日起计算，凭发票到任何一家门店办理。\n"),
    _archive("packed.md", "---\nslug: packed\nlabel: '1'\nlanguage: zh\n---\n# 换货\n\n十天内可以换货。\n"),
    SourceFile(path="empty.md", content=b"", header={"slug": "empty"}),
)

# All that a search reads of a version, and what its owners see of it, by what stands in it.
_HELD: Final = """
    SELECT document.slug, passage.ordinal, passage.text, passage.heading_path, passage.terms, passage.indexed,
           passage_vector.embedding::text, passage_vector.hot,
           (SELECT array_agg((posting.term, posting.impact) ORDER BY posting.term)::text
            FROM posting WHERE posting.tenant = passage.tenant AND posting.passage = passage.id),
           (SELECT array_agg((sentence.ordinal, sentence.text_start, sentence.text_end, sentence.embedding)
                             ORDER BY sentence.ordinal)::text
            FROM sentence WHERE sentence.tenant = passage.tenant AND sentence.passage = passage.id)
    FROM passage
    JOIN revision ON revision.id = passage.revision
    JOIN document ON document.id = revision.document
    LEFT JOIN passage_vector ON passage_vector.tenant = passage.tenant AND passage_vector.passage = passage.id
    WHERE passage.tenant = %(tenant)s ORDER BY 1, 3, 2
"""
_LISTED: Final = """
    SELECT 'term', term::text, passages FROM term_frequency WHERE tenant = %(tenant)s
    UNION ALL SELECT 'mask', field || kind, source_start FROM mask WHERE tenant = %(tenant)s
    UNION ALL SELECT 'problem', path || code, 0 FROM import_problem WHERE tenant = %(tenant)s
    UNION ALL SELECT 'duplicate', similarity::text, ordinal FROM passage_duplicate WHERE tenant = %(tenant)s
    UNION ALL SELECT 'version', state || documents::text || revisions::text, passages
              FROM version WHERE tenant = %(tenant)s
    UNION ALL SELECT 'member', version::text, count(*) FROM version_revision WHERE tenant = %(tenant)s GROUP BY 2
    UNION ALL SELECT 'left', path, 0 FROM read_draft WHERE tenant = %(tenant)s
    UNION ALL SELECT 'left', path, 1 FROM import_file WHERE tenant = %(tenant)s AND content IS NOT NULL
    ORDER BY 1, 2, 3
"""
_OF_IMPORT: Final = "SELECT step, state FROM import_job WHERE tenant = %(tenant)s AND state IN ('RUNNING', 'STAGED')"
_PASS_TIME: Final = """
    UPDATE import_job SET lease_until = clock_timestamp() - interval '1 second' WHERE tenant = %(tenant)s
"""


@dataclass(frozen=True)
class Scene:
    """Workers, what wakes them, and what both write to."""

    crew: Crew
    admin: str
    redis_url: str
    database: Database
    sweeper: Database
    importer: Importer
    searcher: DatabaseSearcher
    tenant: str

    def rows(self, statement: str, tenant: str | None = None) -> list[tuple[Any, ...]]:  # of any table
        """Read or write as nobody of the product may."""
        with psycopg.connect(self.admin) as connection:
            done = connection.execute(statement.encode(), {"tenant": tenant or self.tenant})
            return done.fetchall() if done.description else []

    def held(self, tenant: str | None = None) -> tuple[list[Any], list[Any]]:  # rows as they come
        """Give all that a tenant's versions consist of."""
        return self.rows(_HELD, tenant), self.rows(_LISTED, tenant)

    async def wake(self) -> None:
        """Let a lease run out, and wake imports as the pulse does."""
        self.rows(_PASS_TIME)
        celery = make_celery("knowledge", redis_url=self.redis_url)
        await wake_imports(
            self.database,
            self.sweeper,
            lambda tenant, import_id: enqueue_step(celery, tenant=tenant, import_id=import_id),
        )

    async def begin(self) -> UUID:
        """Publish the old version and start the import of the new one."""
        await self.importer.publish(self.tenant, [_OLD])
        return await self.importer.begin(self.tenant, _NEW)

    async def kill_at(self, step: Step, side: Side) -> None:
        """Let a worker take steps until it dies at one."""
        doomed = self.crew.start(WORKER, tampering=Dying(step, side))
        await self.wake()
        assert await_death(doomed), f"{step} {side} {self.rows(_OF_IMPORT)}\n{self._last_words()}"

    async def asked(self) -> list[str]:
        """Ask what the old version answers."""
        found = await self.searcher.search(
            tenant=self.tenant, segments=(), question="几天内可以退货", as_of=date(2026, 7, 15)
        )
        return [each.passage.text for each in found.context.found]

    async def finish(self, import_id: UUID) -> None:
        """Let a worker that nobody kills take the import to its end, sentences included."""
        self.crew.start(WORKER, tampering=Small())
        await self.wake()
        deadline = time.monotonic() + _AWAITED_SECONDS
        while (progress := await self.importer.progress(self.tenant, import_id)).state == "RUNNING":
            assert time.monotonic() < deadline, f"{progress}\n{self._last_words()}"
            time.sleep(_LOOK_SECONDS)  # noqa: ASYNC251 - nothing else runs here
        self.crew.end(WORKER)
        await self.importer.embed_all_sentences(self.tenant, import_id)

    async def undisturbed(self) -> tuple[list[Any], list[Any]]:  # as `held`
        """Give what the same import makes of the same versions where nothing dies."""
        whole = f"{self.tenant}-whole"
        await self.importer.publish(whole, [_OLD])
        await self.importer.stage(whole, _NEW)
        return self.held(whole)

    def _last_words(self) -> str:
        log = self.crew.folder / f"{WORKER}.log"
        return log.read_text()[-3000:] if log.exists() else ""


@pytest.fixture
async def scene(
    service_database: OpenDatabase,
    postgres_admin_url: str,
    redis_url: str,
    importer: Importer,
    database: Database,
    searcher: DatabaseSearcher,
    tenant: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Scene]:
    """Give workers over a database of their own; imports of this process take as small steps as theirs."""
    for module, name, value in SMALL:
        monkeypatch.setattr(module, name, value)
    folder = tmp_path_factory.mktemp("workers")
    (folder / "tenants.yaml").write_text(json.dumps({"tenants": {tenant: {"name": "Shop"}}}))
    urls = service_database("knowledge")
    told = {
        "YOUJU_REDIS_URL": redis_url,
        "YOUJU_KEYS_DIRECTORY": str(folder),
        "YOUJU_TENANTS_FILE": str(folder / "tenants.yaml"),
        "YOUJU_KNOWLEDGE_DATABASE_URL": urls.app,
        "YOUJU_KNOWLEDGE_MASK_KEY": "00" * 32,
        "YOUJU_KNOWLEDGE_ORIGINALS_KEYS": "00" * 32,
        "YOUJU_KNOWLEDGE_SECOND_ARM": "off",
    }
    with Redis.from_url(redis_url) as valkey:
        valkey.flushall()
    admin = for_psycopg(postgres_admin_url, make_url(urls.app).database)
    sweeper, crew = Database(urls.sweeper, pool_size=2), Crew(told, folder)
    yield Scene(crew, admin, redis_url, database, sweeper, importer, searcher, tenant)
    crew.end(WORKER)
    await sweeper.close()


async def test_a_worker_that_is_killed_at_every_boundary_leaves_what_an_undisturbed_import_does(scene: Scene) -> None:
    import_id = await scene.begin()
    whole = await scene.undisturbed()

    for step in _STEPS:
        for side in SIDES:
            await scene.kill_at(step, side)
            assert await scene.asked() == ["三天内可以退货。"], (step, side)
    await scene.importer.embed_all_sentences(scene.tenant, import_id)

    assert scene.held() == whole
    assert (await scene.importer.progress(scene.tenant, import_id)).state == "STAGED"


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_a_worker_that_is_killed_at_any_moment_leaves_the_same(scene: Scene, seed: int) -> None:
    moments = random.Random(seed)  # noqa: S311 - moments, no secret
    import_id = await scene.begin()
    whole = await scene.undisturbed()

    for _ in range(3):
        scene.crew.start(WORKER, tampering=Small())
        await scene.wake()
        time.sleep(moments.uniform(0, _LONGEST_LIFE_SECONDS))  # noqa: ASYNC251 - any moment is as good
        scene.crew.end(WORKER)
        assert await scene.asked() == ["三天内可以退货。"]
    await scene.finish(import_id)

    assert scene.held() == whole


@pytest.mark.parametrize("step", [Step.STORE, Step.SCALE])
async def test_an_import_that_is_discarded_after_a_kill_leaves_nothing(scene: Scene, bench: Bench, step: Step) -> None:
    import_id = await scene.begin()
    before, _ = scene.held()
    await scene.kill_at(step, "before")

    async with scene.database.transaction(scene.tenant) as connection:
        assert await imports.discard_import(connection, import_id, reason="wrong folder")

    def clear(owner: str, number: int) -> None:
        while remove_leftovers(bench, tenant=owner, number=number):
            pass

    while await clear_leftovers(scene.database, scene.sweeper, clear):
        pass
    held, listed = scene.held()
    assert held == before
    assert [row for row in listed if row[0] in ("mask", "duplicate", "left")] == []
    assert await scene.asked() == ["三天内可以退货。"]
