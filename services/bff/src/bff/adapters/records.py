"""Close attempts in Postgres and, in the same transaction, escalate where a tenant's rule says so."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from bff.adapters.measures import count_escalation
from bff.attempts.attempt import Assignment, Attempt, Completed, Failed
from bff.attempts.store import AttemptStore, LeaseStore
from bff.conversations.store import hold_conversation
from bff.escalations.contact import allowed_contact
from bff.escalations.opening import Wish, escalate
from bff.escalations.store import EscalationStore
from bff.escalations.ticket import Story
from bff.stream.numbered import NumberedEvent
from contracts.ids import IdSource
from contracts.messages import TicketContact
from contracts.stream import AttemptEvent
from contracts.tenants import Tenant
from runtime.clock import Clock
from runtime.database import Database

FindTenant = Callable[[str], Tenant | None]


class PostgresRecord:
    """The rows of attempts, one transaction a call."""

    def __init__(self, database: Database, *, find_tenant: FindTenant, new_id: IdSource, clock: Clock) -> None:
        """Connect as the app role."""
        self._database = database
        self._find_tenant = find_tenant
        self._new_id = new_id
        self._clock = clock

    async def close(self, assignment: Assignment, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        """Store how an attempt ended, if it is still PENDING and its lease is ours; False when somebody was first."""
        attempt = assignment.attempt
        async with self._database.transaction(attempt.tenant) as connection:
            # The order of erasure: first the conversation, then its attempts. An escalation would take it only after.
            if self._escalates(attempt.tenant, result):
                await hold_conversation(connection, attempt.conversation_id)
            closed = await LeaseStore(connection).close(
                attempt.attempt_id, result, events, holder=assignment.lease_holder
            )
            if closed is not None:
                await self._escalate_by_rule(connection, closed)
        return closed is not None

    async def renew(self, assignment: Assignment) -> bool:
        """Extend the lease; False when it is lost or the attempt is closed."""
        attempt = assignment.attempt
        async with self._database.transaction(attempt.tenant) as connection:
            return await LeaseStore(connection).renew(attempt.attempt_id, holder=assignment.lease_holder)

    async def is_with_person(self, attempt: Attempt) -> bool:
        """Say whether a person has the attempt's conversation now."""
        async with self._database.transaction(attempt.tenant) as connection:
            store = EscalationStore(connection, tenant=attempt.tenant, customer=attempt.customer)
            return await store.is_with_person(attempt.conversation_id)

    def _escalates(self, key: str, result: Completed | Failed) -> bool:
        tenant = self._find_tenant(key)
        if tenant is None or isinstance(result, Failed):
            return False
        return result.outcome.reason_code in tenant.auto_escalate

    async def _escalate_by_rule(self, connection: AsyncConnection, closed: Attempt) -> None:
        tenant = self._find_tenant(closed.tenant)
        if tenant is None or closed.outcome is None or closed.outcome.reason_code not in tenant.auto_escalate:
            return
        wish = Wish(
            escalation_id=self._new_id(),
            origin="rule",
            attempt=closed,
            note=None,
            request=None,
            wished_at=self._clock(),
        )
        contact = allowed_contact(closed.contact, tenant.contact_in_tickets)
        ledger = EscalationStore(connection, tenant=closed.tenant, customer=closed.customer)
        escalated = await escalate(wish, ledger=ledger, tell=partial(read_story, connection, contact=contact))
        count_escalation(closed, wish.origin, is_new=escalated.is_new)


class TenantRecord:
    """The closed attempts of one tenant, as readers of streams need them."""

    def __init__(self, database: Database, *, tenant: str) -> None:
        """Bind the tenant of the reader."""
        self._database = database
        self._tenant = tenant

    async def closed_events(self, attempt_id: UUID) -> tuple[NumberedEvent, ...] | None:
        """Give all events of an attempt, or None while it is PENDING. Errors: NotFoundError when it was erased."""
        async with self._database.transaction(self._tenant) as connection:
            return (await LeaseStore(connection).read(attempt_id)).events


async def read_story(connection: AsyncConnection, attempt: Attempt, *, contact: TicketContact | None = None) -> Story:
    """Collect what led to a wish for a person; `contact` is how the customer may be reached."""
    store = AttemptStore(connection, tenant=attempt.tenant, customer=attempt.customer)
    judgements = await store.judgements([attempt.attempt_id])
    return Story(
        attempt=attempt,
        feedback=judgements.get(attempt.attempt_id),
        lineage=await store.lineage(attempt.lineage_id),
        conversation=await store.find_all(attempt.conversation_id),
        contact=contact,
    )
