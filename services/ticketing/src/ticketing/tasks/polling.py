"""Ask a helpdesk what people did with a ticket, and tell the customer's side."""

from uuid import UUID

from runtime.logging import bound, get_logger
from ticketing.tasks.edge import Edge
from ticketing.tasks.places import Places
from ticketing.tickets.helpdesk import HelpdeskError, HelpdeskStatus
from ticketing.tickets.store import gates, inbox, telling

_log = get_logger("polling")


def poll(edge: Edge, *, tenant: str, ticket_id: UUID, places: Places) -> bool:
    """Ask about one ticket and say whether it was asked. Repeat: what leads forward is told once.

    Where all places at a helpdesk are taken, the ticket is asked about at its next turn instead of holding a thread.
    """
    with edge.database.transaction(tenant) as connection:
        polled = inbox.claim_poll(connection, ticket_id)
    if polled is None:
        return False
    with bound(tenant=tenant, ticket_id=str(ticket_id), helpdesk=polled.helpdesk), places.at(polled.helpdesk) as free:
        found = _read(edge, tenant, polled) if free else None
        if found is not None:
            take_over(edge, tenant=tenant, ticket_key=polled.ticket_key, found=found)
    return free


def take_over(edge: Edge, *, tenant: str, ticket_key: str, found: HelpdeskStatus) -> bool:
    """Tell what a helpdesk says of a ticket, if it leads forward; a solved one is not asked about again."""
    news = telling.News(status=found.status, solution=found.solution)
    stamp = telling.Stamp(now=edge.clock(), message_id=edge.new_id())
    with edge.database.transaction(tenant) as connection:
        is_news = telling.report_status(connection, ticket_key, news, stamp)
        if found.status == "SOLVED":
            inbox.end_polls(connection, ticket_key)
    _log.info("ticket_read", status=found.status, is_news=is_news)
    return is_news


def _read(edge: Edge, tenant: str, polled: inbox.Polled) -> HelpdeskStatus | None:
    try:
        found = edge.choose(tenant, polled.helpdesk).read(tenant=tenant, external_id=polled.external_id)
    except HelpdeskError as error:
        _log.warning("helpdesk_not_read", code=error.code, detail=error.detail)
        if error.retry_after is not None:
            with edge.database.transaction(tenant) as connection:
                gates.let_rest(connection, tenant=tenant, helpdesk=polled.helpdesk, wait=error.retry_after)
        return None
    if found is None:
        # Nobody works on a ticket that was deleted: the customer has the assistant again, and nobody asks any more.
        _log.warning("ticket_gone")
        return HelpdeskStatus(status="SOLVED")
    return found
