"""Let a second model look at a sample of answers: the pulse draws and asks, a worker checks one answer a task."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Final, Protocol
from uuid import UUID

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from contracts.ids import printed
from contracts.tenants import Tenant
from knowledge.adapters import check_measures
from knowledge.adapters.checker_model import CheckerTroubleError
from knowledge.answering.draft import Usage
from knowledge.answering.prompting import Prompt
from knowledge.checking import store
from knowledge.checking.judging import Checkable, GarbledJudgementError, make_prompt, read_judgements
from knowledge.checking.sampling import is_sampled, wait_after
from knowledge.checking.store import Counted
from knowledge.review.item import ReviewReason
from knowledge.review.store import reopening
from runtime.clock import Clock, start_of_day
from runtime.database import Database, SyncDatabase
from runtime.logging import bound, get_logger
from runtime.pulse import Duty, run_for_each, run_for_each_row
from runtime.telemetry import attempt_span
from runtime.tenants import TenantDirectory

CHECK: Final = "knowledge.check_answer"

_TENANTS: Final = 50
# So many checks are handed out in one turn: a backlog reaches the model at its own pace.
_CHECKS: Final = 10
_SAMPLE_SECONDS: Final = 5.0
_ASK_SECONDS: Final = 2.0
_COUNT_SECONDS: Final = 30.0

_log = get_logger("checker")


class Asking(Protocol):
    """A second model."""

    @property
    def model(self) -> str:
        """Give its name."""
        ...

    def ask(self, prompt: Prompt) -> tuple[str, Usage]:
        """Give the reply and its price. Errors: CheckerTroubleError."""
        ...


class Tenants(Protocol):
    """Knows what each tenant wants."""

    def find(self, key: str) -> Tenant | None:
        """Give the tenant of that key, or None."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """What a check works with."""

    database: SyncDatabase
    model: Asking
    tenants: Tenants
    daily_budget: Decimal | None
    clock: Clock


def check_answer(held: Checking, *, tenant: str, attempt_id: UUID) -> None:
    """Have one answer judged, and keep what is said. No session is open while the model is asked.

    Repeat: a check ends once; a second run of it changes nothing but what it spent.
    """
    with held.database.transaction(tenant) as connection:
        pending = store.read_checkable(connection, tenant, attempt_id)
        may_spend = _may_spend(held, store.spent_since(connection, tenant, _today(held, tenant)))
        if pending is None or not may_spend:
            trouble = "gone" if pending is None else "budget_spent"
            store.note_trouble(connection, tenant, attempt_id, trouble=trouble, wait=None)
            return
    checkable, tries = pending
    try:
        reply, usage = held.model.ask(make_prompt(checkable))
    except CheckerTroubleError as trouble:
        _keep_trouble(held, tenant, checkable, tries=tries, trouble=trouble.what, usage=trouble.usage)
        return
    _keep_reply(held, tenant, checkable, tries=tries, reply=reply, usage=usage)


def register_checks(app: Celery, held: Checking) -> None:
    """Teach a worker to check answers."""

    def check(tenant: str, attempt_id: str) -> None:
        """Check an answer. Repeat: harmless; see `check_answer`."""
        wanted = UUID(attempt_id)
        name = printed("att", wanted)
        with attempt_span("check", tenant=tenant, attempt_id=name), bound(tenant=tenant, attempt_id=name):
            check_answer(held, tenant=tenant, attempt_id=wanted)

    app.task(check, name=CHECK)


def enqueue_check(app: Celery, *, tenant: str, attempt_id: UUID, queue: str) -> None:
    """Ask a worker for a check. Errors: none; the pulse asks again."""
    try:
        app.send_task(CHECK, args=[tenant, str(attempt_id)], queue=queue, retry=False)
    except (OperationalError, OSError, redis.RedisError):
        _log.warning("check_delayed", tenant=tenant, attempt=str(attempt_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What the duties of checks work with."""

    app: Database
    sweeper: Database
    tenants: TenantDirectory
    enqueue: Callable[[str, UUID], Awaitable[None]]


def checking_duties(held: Drawing) -> tuple[Duty, ...]:
    """Give the pulse its duties: draw the sample, hand checks out, count what came of them."""

    async def drawing() -> int:
        return await draw_sample(held)

    async def asking() -> int:
        return await ask_for_due(held)

    async def counting() -> int:
        return await count_checks(held)

    return (
        Duty(name="check-sample", run=drawing, every_seconds=_SAMPLE_SECONDS),
        Duty(name="checks", run=asking, every_seconds=_ASK_SECONDS),
        Duty(name="check-counts", run=counting, every_seconds=_COUNT_SECONDS),
    )


async def draw_sample(held: Drawing) -> int:
    """Draw from the answers of sealed batches; gives 0, so that it waits its turn. Repeat: an answer is drawn once."""
    async with held.sweeper.sweep() as connection:
        waiting = await store.tenants_to_sample(connection, limit=_TENANTS)
    return await run_for_each(waiting, partial(_draw, held))


async def _draw(held: Drawing, key: str) -> int:
    tenant = held.tenants.find(key)
    rate = 0.0 if tenant is None else tenant.checker_rate
    async with held.app.transaction(key) as connection:
        taken = await store.take_answers(connection, key)
        await store.ask_for_checks(connection, key, [each for each in taken if is_sampled(each, rate)])
    return 0


async def ask_for_due(held: Drawing) -> int:
    """Hand out checks that are due; gives 0, so that no more are handed out in a turn than a worker can take."""
    async with held.sweeper.sweep() as connection:
        due = await store.due_checks(connection, limit=_CHECKS)
    return await run_for_each_row(due, partial(_hand_out, held))


async def _hand_out(held: Drawing, tenant: str, attempt_id: UUID) -> int:
    async with held.app.transaction(tenant) as connection:
        is_mine = await store.claim_check(connection, tenant, attempt_id)
    if is_mine:
        await held.enqueue(tenant, attempt_id)
    return 0


async def count_checks(held: Drawing) -> int:
    """Show how the checks of the last day ended, over all tenants; gives 0."""
    counts: list[Counted] = []

    async def count(tenant: str) -> int:
        async with held.app.transaction(tenant) as connection:
            counts.append(await store.count_checks(connection, tenant))
        return 0

    await run_for_each(held.tenants.keys(), count)
    check_measures.show_checks(
        Counted(
            agreed=sum(each.agreed for each in counts),
            disagreed=sum(each.disagreed for each in counts),
            given_up=sum(each.given_up for each in counts),
        )
    )
    return 0


def _keep_reply(  # noqa: PLR0913 - a check and what came of it
    held: Checking, tenant: str, checkable: Checkable, *, tries: int, reply: str, usage: Usage
) -> None:
    try:
        said = read_judgements(reply, claims=len(checkable.claims))
    except GarbledJudgementError:
        check_measures.count_check("garbled")
        _keep_trouble(held, tenant, checkable, tries=tries, trouble="garbled", usage=usage)
        return
    judged = list(zip(checkable.claims, said, strict=True))
    unsupported = sum(not each.is_supported for each in said)
    with held.database.transaction(tenant) as connection:
        is_kept = store.note_judgements(connection, tenant, checkable.attempt_id, judged, usage=usage)
        if is_kept and unsupported:
            reason = ReviewReason.CHECKER_DISAGREES
            connection.execute(
                reopening(tenant=tenant, attempt_id=checkable.attempt_id, reason=reason, at=held.clock())
            )
    if is_kept:
        check_measures.count_check("disagreed" if unsupported else "agreed")
        check_measures.tell_evaluation(
            printed("att", checkable.attempt_id), model=held.model.model, claims=len(judged), unsupported=unsupported
        )


def _keep_trouble(  # noqa: PLR0913 - a check and what came of it
    held: Checking, tenant: str, checkable: Checkable, *, tries: int, trouble: str, usage: Usage | None
) -> None:
    wait = wait_after(tries)
    with held.database.transaction(tenant) as connection:
        store.note_trouble(connection, tenant, checkable.attempt_id, trouble=trouble, wait=wait, usage=usage)
    check_measures.count_check("given_up" if wait is None else "trouble")
    _log.warning("check_failed", trouble=trouble, is_given_up=wait is None)
    check_measures.tell_failed_evaluation(printed("att", checkable.attempt_id), model=held.model.model, trouble=trouble)


def _may_spend(held: Checking, spent: Decimal) -> bool:
    return held.daily_budget is None or spent < held.daily_budget


def _today(held: Checking, tenant: str) -> datetime:
    found = held.tenants.find(tenant)
    return start_of_day(held.clock(), "UTC" if found is None else found.time_zone)
