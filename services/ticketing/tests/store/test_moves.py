import contextlib

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import message, order
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.ticket import LEGAL_MOVES, TicketState

pytestmark = pytest.mark.store

_COPY = """
INSERT INTO ticket (id, tenant, ticket_key, escalation_id, attempt_id, body, body_hash, state, external_id, due_at)
SELECT gen_random_uuid(), tenant, :key, escalation_id, attempt_id, body, body_hash, :state, 'x', NULL
FROM ticket WHERE ticket_key = 'key-1'
"""


def test_the_database_admits_exactly_the_legal_moves(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_order(edge, message(order(tenant)))

    for found in TicketState:
        for wanted in TicketState:
            key = f"{found}-{wanted}"
            with edge.database.transaction(tenant) as connection:
                connection.execute(text(_COPY), {"key": key, "state": found})
            is_legal = found == wanted or wanted in LEGAL_MOVES[found]
            with contextlib.nullcontext() if is_legal else pytest.raises(IntegrityError):
                eyes.run(f"UPDATE ticket SET state = '{wanted}' WHERE ticket_key = '{key}'")  # noqa: S608
