"""Give tests of knowledge an embedder without weights and a short way from texts to a published version."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from sqlalchemy import text

from contracts.ids import uuid7
from knowledge.ingestion.analyser import terms
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.importing import FaultyFile, RevisionDraft, SourceFile, read_file
from knowledge.ingestion.jobs import Faulty, Step
from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from knowledge.tasks.sentences import embed_sentences
from knowledge.versions.acts import Acting
from knowledge.versions.drafting import ImportProgress
from knowledge.versions.routing_policy import default_routing_policy
from knowledge.versions.store import documents, imports, releases
from runtime.database import Database


@dataclass(frozen=True, slots=True)
class WordEmbedder:
    """Fulfils `Embedder` with the sum of one fixed direction a word: alike texts have alike vectors."""

    identity: str = "words/512/-"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts. Shapes: one vector of length one a text."""
        return [_unit(sum((_direction(term) for term in terms(text)), _direction(""))) for text in texts]


@dataclass(frozen=True, slots=True)
class Importer:
    """Takes files all the way, in this process, without a queue."""

    database: Database
    bench: Bench

    async def open(
        self,
        tenant: str,
        files: Sequence[SourceFile] = (),
        *,
        additive: bool = False,
        faulty: Faulty = "leave_out",
    ) -> UUID:
        """Open and fill an import; it is not started."""
        import_id = uuid7()
        async with self.database.transaction(tenant) as connection:
            await imports.create_import(
                connection,
                tenant=tenant,
                import_id=import_id,
                routing_policy=default_routing_policy(),
                additive=additive,
                actor="owner",
                faulty=faulty,
            )
            await imports.add_files(connection, tenant=tenant, import_id=import_id, files=files, ring=self.bench.ring)
        return import_id

    async def begin(
        self, tenant: str, files: Sequence[SourceFile], *, additive: bool = False, faulty: Faulty = "leave_out"
    ) -> UUID:
        """Open, fill and start an import; no step is taken yet."""
        import_id = await self.open(tenant, files, additive=additive, faulty=faulty)
        async with self.database.transaction(tenant) as connection:
            await imports.start_import(connection, import_id)
        return import_id

    async def finish(self, tenant: str, import_id: UUID) -> ImportProgress:
        """Start an import that is open and take it to its end."""
        async with self.database.transaction(tenant) as connection:
            await imports.start_import(connection, import_id)
        return await self.take_to_end(tenant, import_id)

    async def take_to_end(self, tenant: str, import_id: UUID) -> ImportProgress:
        """Take the steps of a running import, and after them those of its sentences."""
        while advance_import(self.bench, tenant=tenant, import_id=import_id):
            pass
        await self.embed_all_sentences(tenant, import_id)
        return await self.progress(tenant, import_id)

    async def embed_all_sentences(self, tenant: str, import_id: UUID) -> None:
        """Give the passages of what an import staged, if it did, the vectors of their sentences."""
        version = (await self.progress(tenant, import_id)).version
        if version is not None:
            self.embed_sentences(tenant, version)

    def embed_sentences(self, tenant: str, version: int) -> None:
        """Give the passages of a version the vectors of their sentences."""
        while embed_sentences(self.bench, tenant=tenant, version=version):
            pass

    def advance_to(self, tenant: str, import_id: UUID, step: Step) -> None:
        """Take steps of an import until this one is due."""
        while self.step_of(tenant, import_id) != step:
            assert advance_import(self.bench, tenant=tenant, import_id=import_id)

    def step_of(self, tenant: str, import_id: UUID) -> str:
        """Name the step of an import that is due."""
        wanted = text("SELECT step FROM import_job WHERE id = :id")
        with self.bench.database.transaction(tenant) as connection:
            return str(connection.execute(wanted, {"id": import_id}).scalar_one())

    async def progress(self, tenant: str, import_id: UUID) -> ImportProgress:
        """Say how far an import is."""
        async with self.database.transaction(tenant) as connection:
            return await imports.import_progress(connection, import_id)

    async def stage(
        self, tenant: str, files: Sequence[SourceFile], *, additive: bool = False, faulty: Faulty = "leave_out"
    ) -> ImportProgress:
        """Take an import to its end, whichever that is."""
        import_id = await self.begin(tenant, files, additive=additive, faulty=faulty)
        return await self.take_to_end(tenant, import_id)

    async def publish(self, tenant: str, files: Sequence[SourceFile], *, additive: bool = False) -> int:
        """Take an import to its end, approve its version and make it current."""
        import_id = (await self.stage(tenant, files, additive=additive)).import_id
        return await self.publish_staged(tenant, import_id)

    async def publish_staged(self, tenant: str, import_id: UUID) -> int:
        """Approve the version of an import that has ended and make it current."""
        progress = await self.progress(tenant, import_id)
        if progress.version is None:
            raise AssertionError(progress)
        async with self.database.transaction(tenant) as connection:
            await releases.approve(connection, publisher(tenant), number=progress.version)
            await releases.publish(connection, publisher(tenant), number=progress.version, expected_current=None)
        return progress.version

    async def withdraw(self, tenant: str, slug: str) -> None:
        """Withdraw a document."""
        async with self.database.transaction(tenant) as connection:
            await documents.withdraw(connection, owner(tenant), slug=slug)

    async def restore(self, tenant: str, slug: str) -> None:
        """Undo the withdrawal of a document."""
        async with self.database.transaction(tenant) as connection:
            await documents.restore(connection, publisher(tenant), slug=slug)


def owner(tenant: str) -> Acting:
    """Give a knowledge owner who acts."""
    return Acting(tenant=tenant, actor="owner", roles=("owner",))


def publisher(tenant: str) -> Acting:
    """Give a publisher who acts."""
    return Acting(tenant=tenant, actor="publisher", roles=("publisher",))


def draft_of(file: SourceFile) -> RevisionDraft:
    """Read a file that has no fault."""
    read = read_file(file)
    assert not isinstance(read, FaultyFile), read.problems
    return read


def policy(slug: str, body: str, **header: object) -> SourceFile:
    """Make a file with a header: label 1, Chinese, unless told otherwise."""
    keys: Mapping[str, object] = {"slug": slug, "label": "1", "language": "zh", "title": slug, **header}
    return SourceFile(path=f"{slug}-{keys['label']}.md", content=body.encode(), header=keys)


def _direction(term: str) -> Vector:
    seed = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "big")
    return np.random.default_rng(seed).standard_normal(512).astype(np.float32)


def _unit(vector: Vector) -> Vector:
    return (vector / np.linalg.norm(vector)).astype(np.float32)
