"""Reads the files of an import into the revisions of a draft version."""

from knowledge.ingestion import store as index_store
from knowledge.ingestion.importing import read_import
from knowledge.ingestion.jobs import Job, Step
from knowledge.tasks.bench import Bench
from knowledge.versions.store import drafts


def read(bench: Bench, tenant: str, job: Job) -> bool:
    """Read all files, and draft a version of them or fail with every problem; say whether a step follows."""
    with bench.database.transaction(tenant) as connection:
        files = drafts.read_files(connection, job.import_id)
        kept = drafts.current_revisions(connection) if job.additive else []
    result = read_import(files, kept=kept)
    with bench.database.transaction(tenant) as connection:
        if result.problems:
            reason = f"{len(result.problems)} problem(s) in the files; nothing was imported."
            drafts.fail(connection, job, problems=result.problems, reason=reason)
            return False
        drafts.draft_version(
            connection, job, result.revisions, tenant=tenant, pipeline=bench.pipeline, new_id=bench.new_id
        )
        index_store.hand_on(connection, job, step=Step.SPLIT)
    return True
