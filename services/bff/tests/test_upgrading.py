"""An upgrade reaches the rows of every tenant, and a step back leaves them as they were."""

import pytest
from sqlalchemy import text

import bff.migrations
from runtime.database import SyncDatabase
from tests.support.databases import Databases
from tests.support.migrations import moving

pytestmark = pytest.mark.store

_CONVERSATION = """
INSERT INTO conversation (id, tenant, customer, channel) VALUES (gen_random_uuid(), :tenant, 'c', 'web') RETURNING id
"""
_ATTEMPT = """
INSERT INTO attempt (id, tenant, customer, channel, conversation_id, lineage_id, question, language, as_of, asked_at,
                     typed_facts, trace_id, status, failure_code, events)
VALUES (gen_random_uuid(), :tenant, 'c', 'web', :conversation, gen_random_uuid(), 'q', 'en', current_date, now(),
        '{}', 't', :status, :failure, :events)
"""


def test_attempts_that_run_during_an_upgrade_are_compared_when_they_end(databases: Databases, tenant: str) -> None:
    _, urls = databases.empty("bff")
    with moving(bff.migrations, urls.owner) as move:
        move.upgrade("0005")
    database = SyncDatabase(urls.app, pool_size=1)
    with database.transaction(tenant) as connection:
        conversation = connection.execute(text(_CONVERSATION), {"tenant": tenant}).scalar_one()
        for status, failure, events in (("PENDING", None, None), ("FAILED", "ABANDONED", "[]")):
            values = {"tenant": tenant, "conversation": conversation}
            connection.execute(text(_ATTEMPT), {**values, "status": status, "failure": failure, "events": events})

    with moving(bff.migrations, urls.owner) as move:
        move.upgrade("0006")

    with database.transaction(tenant) as connection:
        rows = connection.execute(text("SELECT status, agreement FROM attempt"))
        assert {row.status: row.agreement for row in rows} == {"PENDING": None, "FAILED": "unchecked"}

    with moving(bff.migrations, urls.owner) as move:
        move.downgrade("0003")
        move.upgrade("head")

    with database.transaction(tenant) as connection:
        assert connection.execute(text("SELECT count(*) FROM attempt")).scalar_one() == 2
    with database.transaction("another") as connection:
        assert connection.execute(text("SELECT count(*) FROM attempt")).scalar_one() == 0
    database.close()
