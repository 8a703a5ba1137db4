"""Show where escalations stand and what waits for a person, and help it on."""

from datetime import timedelta
from typing import Annotated, Final

import typer

from youju.commands.knowledge import TenantOption
from youju.customers import customer_staff
from youju.home import find_home
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK, or_say
from youju.ticket_ledger import (
    LedgerTicket,
    Queue,
    attach,
    desk_staff,
    list_ledger,
    list_parked,
    list_parked_news,
    measure_queues,
    read_ledger,
    replay,
    replay_news,
    requeue,
)

tickets = typer.Typer(help="See where escalations stand, and help those that wait for a person.")
parked = typer.Typer(help="See which messages could not be followed, and send them through again.")

TicketArgument = Annotated[str, typer.Argument(metavar="TICKET", help="The tic_… that `youju tickets` shows.")]
_NOTHING: Final = "–"


def queues(*, tenant: TenantOption = DEMO) -> None:
    """Show what waits where, and for how long."""
    with desk_staff(settings_of(find_home()), tenant) as client:
        found = measure_queues(client)
    with customer_staff(settings_of(find_home()), tenant) as client:
        beside = sum(1 for _ in list_parked_news(client))
    for queue in (*found, Queue(name="PARKED_AT_BFF", depth=beside, oldest_seconds=None)):
        age = _NOTHING if queue.oldest_seconds is None else str(timedelta(seconds=round(queue.oldest_seconds)))
        print(f"  {queue.name:<18}{queue.depth:>8}  {age:>18}")


@tickets.callback(invoke_without_command=True)
def list_tickets(
    context: typer.Context,
    *,
    state: Annotated[str | None, typer.Option(help="Only this state, such as NEEDS_ATTENTION.")] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """List escalations as the ledger has them, the newest first."""
    if context.invoked_subcommand is not None:
        return
    with desk_staff(settings_of(find_home()), tenant) as client:
        for ticket in or_say("There is no such ticket.", list_ledger(client, state)):
            _show(ticket)


@tickets.command("show")
def show_ticket(ticket_id: TicketArgument, *, tenant: TenantOption = DEMO) -> None:
    """Show an escalation and every try."""
    with desk_staff(settings_of(find_home()), tenant) as client:
        view = read_ledger(client, ticket_id)
    _show(view.ticket)
    for each in view.tries:
        took = _NOTHING if each.latency_ms is None else f"{each.latency_ms} ms"
        outcome = each.outcome or "cut off"
        print(f"    {each.started_at:%Y-%m-%d %H:%M:%S}  {each.helpdesk}  {each.step or _NOTHING}  {outcome}  {took}")
        if each.detail:
            print(f"      {each.detail}")


@tickets.command("requeue")
def requeue_ticket(
    ticket_id: TicketArgument,
    *,
    surely_absent: Annotated[
        bool, typer.Option("--surely-absent", help="Somebody looked: the helpdesk has no ticket with this key.")
    ] = False,
    tenant: TenantOption = DEMO,
) -> None:
    """Let a ticket that needs attention be tried again."""
    with desk_staff(settings_of(find_home()), tenant) as client:
        _show(requeue(client, ticket_id, is_surely_absent=surely_absent))


@tickets.command("attach")
def attach_ticket(
    ticket_id: TicketArgument,
    external_id: Annotated[str, typer.Argument(help="Its id at the helpdesk.")],
    *,
    number: Annotated[str | None, typer.Option(help="What people call it; # and its id when left out.")] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """Write down the ticket that somebody found or opened by hand."""
    with desk_staff(settings_of(find_home()), tenant) as client:
        _show(attach(client, ticket_id, external_id=external_id, number=number or f"#{external_id}"))


@parked.callback(invoke_without_command=True)
def list_messages(context: typer.Context, *, tenant: TenantOption = DEMO) -> None:
    """List messages that were put aside, the newest first."""
    if context.invoked_subcommand is not None:
        return
    settings = settings_of(find_home())
    for staff, listed, receiver in (
        (desk_staff, list_parked, "ticketing"),
        (customer_staff, list_parked_news, "bff"),
    ):
        with staff(settings, tenant) as client:
            for each in or_say(f"Nothing is parked at {receiver}.", listed(client)):
                when = f"{each.parked_at:%Y-%m-%d %H:%M}"
                print(f"  {each.parked_id}  {when}  {each.reason:<15}  {each.type} to {receiver}")
                print(f"    {each.detail}")


@parked.command("replay")
def replay_message(
    parked_id: Annotated[str, typer.Argument(metavar="MESSAGE", help="The msg_… that `youju parked` shows.")],
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Send a message through again; it is parked anew when it still cannot be followed."""
    settings = settings_of(find_home())
    with customer_staff(settings, tenant) as client:
        is_news = any(each.parked_id == parked_id for each in list_parked_news(client))
        if is_news:
            replay_news(client, parked_id)
    if not is_news:
        with desk_staff(settings, tenant) as client:
            replay(client, parked_id)
    print(f"  {TICK} The message is on its way again.")


def _show(ticket: LedgerTicket) -> None:
    where = ticket.helpdesk or _NOTHING
    question = ", a ticket may exist unseen" if ticket.is_open else ""
    print(f"  {ticket.ticket_id}  {ticket.received_at:%Y-%m-%d %H:%M}  {ticket.state}{question}")
    print(f"    {ticket.ticket_key}  {where}  {ticket.ticket_number or _NOTHING}  {ticket.status}")
