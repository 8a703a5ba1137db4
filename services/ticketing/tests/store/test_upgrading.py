"""An upgrade keeps the doubt about tickets that are under way, and a step back finds everything it has to remove."""

import pytest
from sqlalchemy import text

import ticketing.migrations
from runtime.database import SyncDatabase
from services.ticketing.tests.fakes import order
from tests.support.databases import Databases
from tests.support.migrations import moving
from ticketing.tickets.ticket import content_hash

pytestmark = pytest.mark.store

_TICKET = """
INSERT INTO ticket (id, tenant, ticket_key, escalation_id, attempt_id, body, body_hash, state, due_at)
VALUES (gen_random_uuid(), :tenant, :state, 'esc', 'att', '{}', :hash, :state, NULL)
"""
_PARKED = """
INSERT INTO parked_message (id, tenant, message_id, type, reason, detail, body)
VALUES (gen_random_uuid(), :tenant, :reason, 't', :reason, 'd', '{}')
"""


def test_an_upgrade_and_a_step_back_reach_the_rows_of_every_tenant(databases: Databases, tenant: str) -> None:
    _, urls = databases.empty("ticketing")
    with moving(ticketing.migrations, urls.owner) as move:
        move.upgrade("0001")
    database = SyncDatabase(urls.app, pool_size=1)
    digest = content_hash(order(tenant).model_dump(mode="json"))
    with database.transaction(tenant) as connection:
        for state in ("CREATING", "OUTCOME_UNKNOWN", "RETRYING"):
            connection.execute(text(_TICKET), {"tenant": tenant, "state": state, "hash": digest})

    with moving(ticketing.migrations, urls.owner) as move:
        move.upgrade("0002")

    with database.transaction(tenant) as connection:
        rows = connection.execute(text("SELECT state, open_since IS NOT NULL FROM ticket"))
        assert {row.state: row[1] for row in rows} == {"CREATING": True, "OUTCOME_UNKNOWN": True, "RETRYING": False}
        for reason in ("CONFLICT", "POISON"):
            connection.execute(text(_PARKED), {"tenant": tenant, "reason": reason})

    with moving(ticketing.migrations, urls.owner) as move:
        move.downgrade("0001")

    with database.transaction(tenant) as connection:
        assert connection.execute(text("SELECT reason FROM parked_message")).scalars().all() == ["CONFLICT"]
    with database.transaction("another") as connection:
        assert connection.execute(text("SELECT count(*) FROM ticket")).scalar_one() == 0
    database.close()


def test_a_step_back_over_what_was_erased_and_forward_again(databases: Databases, tenant: str) -> None:
    _, urls = databases.empty("ticketing")
    with moving(ticketing.migrations, urls.owner) as move:
        move.upgrade("head")
    database = SyncDatabase(urls.app, pool_size=1)
    with database.transaction(tenant) as connection:
        connection.execute(
            text("INSERT INTO erased_attempt (tenant, attempt_id) VALUES (:tenant, 'att')"), {"tenant": tenant}
        )

    with moving(ticketing.migrations, urls.owner) as move:
        move.downgrade("0002")
        move.upgrade("head")

    with database.transaction(tenant) as connection:
        assert connection.execute(text("SELECT count(*) FROM erased_attempt")).scalar_one() == 0
    database.close()
