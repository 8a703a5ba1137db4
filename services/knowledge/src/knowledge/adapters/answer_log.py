"""The answer log in Postgres: one transaction a call."""

from collections.abc import Callable
from uuid import UUID

from contracts.reasons import RefusalCause
from contracts.tenants import ReviewSampling
from knowledge.answering.log import Asked, Closing, Logged
from knowledge.answering.store import AnswerLogStore, erase_customer
from knowledge.retrieval.passage import Candidate
from knowledge.review.store import is_erased
from knowledge.review.store.noting import note_ending
from runtime.database import Database


class PostgresAnswerLog:
    """Keeps attempts for one process, and names in every row the settings that hold for its tenant."""

    def __init__(
        self,
        database: Database,
        *,
        fingerprint_of: Callable[[str], str],
        sampling_of: Callable[[str], ReviewSampling] = lambda _tenant: ReviewSampling(),
    ) -> None:
        """Connect as the app role. `sampling_of` says how many weak answers of a tenant reviewers see."""
        self._database = database
        self._fingerprint_of = fingerprint_of
        self._sampling_of = sampling_of

    async def open(self, asked: Asked) -> bool:
        """Insert the opening row. Repeat: False when the attempt is already there, whoever runs it.

        Of an attempt that was erased before it came here, nothing that its customer wrote is kept.
        """
        async with self._database.transaction(asked.tenant) as connection:
            erased = await is_erased(connection, asked.attempt_id)
            fingerprint = self._fingerprint_of(asked.tenant)
            is_new = await AnswerLogStore(connection).open(asked, settings_fingerprint=fingerprint)
            if is_new and erased:
                await connection.run_sync(erase_customer, tenant=asked.tenant, attempt_ids=(asked.attempt_id,))
            return is_new

    async def close(self, asked: Asked, closing: Closing) -> None:
        """Insert the closing row, and an item for reviewers when it looks doubtful.

        Errors: ClosedBeforeError for a second closing, which changes nothing.
        """
        async with self._database.transaction(asked.tenant) as connection:
            await AnswerLogStore(connection).close(asked, closing)
            await note_ending(connection, asked, closing, self._sampling_of(asked.tenant))

    async def find(self, tenant: str, attempt_id: UUID) -> Logged | None:
        """Give the attempt as far as it came; None when it was never opened."""
        async with self._database.transaction(tenant) as connection:
            return await AnswerLogStore(connection).find(tenant, attempt_id)

    async def note_cause(self, asked: Asked, cause: RefusalCause, candidates: tuple[Candidate, ...]) -> None:
        """Add what lay behind a refusal. Repeat: a second note changes nothing."""
        async with self._database.transaction(asked.tenant) as connection:
            await AnswerLogStore(connection).note_cause(asked, cause, candidates)
