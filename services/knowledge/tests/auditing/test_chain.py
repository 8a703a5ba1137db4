"""The answer log in Postgres is sealed, and whatever is done to it afterwards is found."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import TryAgainError
from contracts.reasons import FailureCode, RefusalCause
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.proving import FIRST, Proof, prove, prove_piece
from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.answering.log import Asked, Closing, Original, abandoned
from knowledge.answering.store import erase_customer
from knowledge.auditing.sealing import ERASABLE, FIELDS, Batch, seal_batch
from knowledge.auditing.store import seals
from knowledge.auditing.store.questions import read_question
from knowledge.auditing.store.rows import TABLES, read_values
from knowledge.auditing.verifying import Fault, Finding
from knowledge.tasks.question_keys import wrap_stale
from knowledge.tasks.sealing import (
    BATCH_ROWS,
    Sealing,
    close_abandoned_attempts,
    make_seals,
    seal_waiting,
    tell_heads,
)
from runtime.database import Database, SyncDatabase
from runtime.sealing import KeyRing
from runtime.tenants import TenantDirectory
from tests.support.answering import NOON, make_asked
from tests.support.databases import OpenDatabase

pytestmark = pytest.mark.store

_SEALED = ("answer_opening", "answer_log", "answer_cause", "answer_erasure", "answer_seal", "answer_batch")
# What a tenant's policy hides is another tenant's; the columns below are not part of any proof.
_UNPROVEN = {"tenant"}
_OTHER_VALUE = {
    "text": "coalesce({0}, '') || 'x'",
    "jsonb": "CASE WHEN {0} = '{{\"x\": 1}}' THEN '{{}}' ELSE '{{\"x\": 1}}' END::jsonb",
    "uuid": "gen_random_uuid()",
    "int2": "coalesce({0}, 0) + 1",
    "int4": "coalesce({0}, 0) + 1",
    "int8": "coalesce({0}, 0) + 1",
    "numeric": "coalesce({0}, 0) + 1",
    "date": "{0} + 1",
    "timestamptz": "{0} + interval '1 microsecond'",
    "bytea": "set_byte({0}, 0, 255 - get_byte({0}, 0))",
    "_text": "array_append({0}, 'x')",
    "_uuid": "array_append({0}, gen_random_uuid())",
}


@dataclass
class Told:
    """Remembers the heads that were told; in trouble when asked to be."""

    heads: list[Batch] = field(default_factory=list[Batch])
    in_trouble: bool = False

    async def tell(self, batch: Batch) -> None:
        """Take a head."""
        if self.in_trouble:
            raise TryAgainError
        self.heads.append(batch)


@pytest.fixture
async def sweeper(service_database: OpenDatabase) -> AsyncIterator[Database]:
    opened = Database(service_database("knowledge").sweeper, pool_size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def owner(service_database: OpenDatabase) -> AsyncIterator[Database]:
    opened = Database(service_database("knowledge").owner, pool_size=1)
    yield opened
    await opened.close()


@pytest.fixture
def sealing(database: Database, sweeper: Database) -> Sealing:
    return Sealing(app=database, sweeper=sweeper, telling=Told(), clock=lambda: NOON)


@pytest.fixture
def log(database: Database) -> PostgresAnswerLog:
    return PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")


def asked_of(tenant: str) -> Asked:
    original = Original(key_id="k1", wrapped_key=b"wrapped", ciphertext=b"sealed question")
    asked = make_asked("茶壶几天内可以退？")
    return replace(asked, tenant=tenant, attempt_id=uuid4(), facts={"orderStatus": "sent"}, original=original)


def closing_of() -> Closing:
    return replace(
        abandoned(NOON), failure=FailureCode.KNOWLEDGE_TIMEOUT, read_as=("茶壶几天内可以退？",), lacking=("",)
    )


async def answered(log: PostgresAnswerLog, tenant: str) -> Asked:
    asked = asked_of(tenant)
    await log.open(asked)
    await log.close(asked, closing_of())
    await log.note_cause(asked, RefusalCause.NOT_IN_FORCE, ())
    return asked


async def proof_of(connection: AsyncConnection, tenant: str) -> Proof:
    """Put the pieces of a proof together."""
    whole, cursor = Proof(), FIRST
    while cursor:
        piece = await prove_piece(connection, tenant, cursor)
        whole.rows, whole.erased = whole.rows + piece.rows, whole.erased + piece.erased
        whole.batches, whole.waiting = whole.batches + piece.batches, whole.waiting + piece.waiting
        whole.head, whole.fault = piece.head or whole.head, piece.fault
        cursor = None if piece.fault else piece.next_cursor
    return whole


async def fault_of(connection: AsyncConnection, tenant: str) -> Fault | None:
    return (await proof_of(connection, tenant)).fault


async def whole_proof(database: Database, tenant: str) -> Proof:
    async with database.snapshot(tenant) as connection:
        return await proof_of(connection, tenant)


def erase(sync_database: SyncDatabase, tenant: str, *attempts: UUID) -> int:
    with sync_database.transaction(tenant) as connection:
        return erase_customer(connection, tenant=tenant, attempt_ids=attempts)


async def loosen(connection: AsyncConnection) -> None:
    """Let the rest of this transaction write what checks, keys and references would not take."""
    listed = text(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint"
        " WHERE contype IN ('c', 'f', 'p', 'u') AND (conrelid = ANY (CAST(:tables AS regclass[]))"
        " OR confrelid = ANY (CAST(:tables AS regclass[]))) ORDER BY contype = 'f' DESC"
    )
    for statement in (await connection.execute(listed, {"tables": list(_SEALED)})).scalars().all():
        await connection.execute(text(statement))


async def columns_of(connection: AsyncConnection, table: str) -> dict[str, str]:
    listed = text("SELECT column_name, udt_name FROM information_schema.columns WHERE table_name = :table")
    return {row[0]: row[1] for row in await connection.execute(listed, {"table": table})}


async def test_what_is_sealed_is_sound_and_nothing_waits(log: PostgresAnswerLog, sealing: Sealing, tenant: str) -> None:
    await answered(log, tenant)
    before = await whole_proof(sealing.app, tenant)

    await seal_waiting(sealing)

    after = await whole_proof(sealing.app, tenant)
    assert (before.batches, before.waiting, before.fault) == (0, 3, None)
    assert (after.batches, after.rows, after.erased, after.waiting, after.fault) == (1, 3, 0, 0, None)


async def test_a_closing_that_comes_later_is_a_second_row_of_the_chain(
    log: PostgresAnswerLog, sealing: Sealing, tenant: str
) -> None:
    asked = asked_of(tenant)
    await log.open(asked)
    await seal_waiting(sealing)
    await log.close(asked, closing_of())
    await seal_waiting(sealing)

    proof = await whole_proof(sealing.app, tenant)
    assert (proof.batches, proof.rows, proof.fault) == (2, 2, None)


async def test_every_field_of_the_log_is_covered(owner: Database, tenant: str) -> None:
    async with owner.transaction(tenant) as connection:
        for kind, names in FIELDS.items():
            table = TABLES[kind].name
            columns = set(await columns_of(connection, table)) - {"tenant", "attempt", "try"}
            assert columns == set(names) - {"original"}, table


@pytest.mark.parametrize("table", _SEALED)
async def test_a_change_of_any_column_of_any_row_is_found(
    log: PostgresAnswerLog, sealing: Sealing, owner: Database, sync_database: SyncDatabase, tenant: str, table: str
) -> None:
    erase(sync_database, tenant, (await answered(log, tenant)).attempt_id)
    await answered(log, tenant)
    await seal_waiting(sealing)

    async with owner.transaction(tenant) as connection:
        await loosen(connection)
        columns = {name: kind for name, kind in (await columns_of(connection, table)).items() if name not in _UNPROVEN}
        assert await fault_of(connection, tenant) is None
        rows = (await connection.execute(text(f"SELECT ctid::text FROM {table}"))).scalars().all()  # noqa: S608 - a table of ours
        for row in rows:
            for name, kind in columns.items():
                other = _OTHER_VALUE[kind].format(f'"{name}"')
                async with connection.begin_nested() as change:
                    statement = f'UPDATE {table} SET "{name}" = {other} WHERE ctid = :row AND ({other}) IS NOT NULL'  # noqa: S608 - as above
                    changed = (await connection.execute(text(statement), {"row": row})).rowcount
                    assert not changed or await fault_of(connection, tenant) is not None, (table, name)
                    await change.rollback()
        await connection.rollback()
    assert rows


@pytest.mark.parametrize(
    ("deed", "finding"),
    [
        ("DELETE FROM answer_opening", Finding.ROW_REMOVED),
        ("DELETE FROM answer_log", Finding.ROW_REMOVED),
        ("DELETE FROM answer_original", Finding.FIELD_CHANGED),
        ("DELETE FROM answer_seal WHERE position = 1", Finding.SEAL_CHANGED),
        ("DELETE FROM answer_seal WHERE position = 2", Finding.BATCH_CHANGED),
        ("DELETE FROM answer_batch WHERE number = 1", Finding.BATCH_MISSING),
        ("DELETE FROM answer_batch WHERE number = 2", Finding.BATCH_MISSING),
        ("UPDATE answer_seal SET position = 1 - position WHERE position < 2", Finding.SEAL_CHANGED),
        ("UPDATE answer_batch SET number = 3 - number", Finding.CHAIN_BROKEN),
        ("UPDATE answer_seal SET text_key = NULL", Finding.KEY_REMOVED),
        ("INSERT INTO answer_cause SELECT tenant, attempt, try + 1, cause, candidates, noted_at FROM answer_cause", Finding.ROW_UNSEALED),
    ],
)  # fmt: skip
async def test_what_is_taken_out_moved_or_put_in_is_found(
    log: PostgresAnswerLog, sealing: Sealing, owner: Database, tenant: str, deed: str, finding: Finding
) -> None:
    for _ in range(2):
        await answered(log, tenant)
        await seal_waiting(sealing)

    async with owner.transaction(tenant) as connection:
        await loosen(connection)
        for table in _SEALED[:4]:
            await connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        await connection.execute(text(deed))
        found = await fault_of(connection, tenant)
        await connection.rollback()

    assert found is not None
    assert found.finding is finding


async def test_a_head_that_left_the_database_shows_a_tail_that_was_cut(
    log: PostgresAnswerLog, sealing: Sealing, owner: Database, tenant: str
) -> None:
    told = Told()
    for _ in range(2):
        await answered(log, tenant)
        await seal_waiting(sealing)
    await tell_heads(replace(sealing, telling=told))
    (head,) = [batch for batch in told.heads if batch.tenant == tenant]

    async with owner.transaction(tenant) as connection:
        await loosen(connection)
        for table, where in {"answer_seal": "batch = 2", "answer_batch": "number = 2"}.items():
            await connection.execute(text(f"DELETE FROM {table} WHERE {where}"))  # noqa: S608 - tables of ours
        gone = "attempt NOT IN (SELECT attempt FROM answer_seal)"
        for table in ("answer_cause", "answer_log", "answer_original", "answer_opening"):
            await connection.execute(text(f"DELETE FROM {table} WHERE {gone}"))  # noqa: S608 - as above
        await connection.execute(text("UPDATE answer_chain SET sealed = 1"))
        proof = await proof_of(connection, tenant)
        await connection.rollback()

    assert proof.fault is None
    assert proof.head is not None
    assert (head.number, proof.head.number) == (2, 1)


async def test_a_head_is_told_until_it_arrives_and_then_no_more(
    log: PostgresAnswerLog, sealing: Sealing, tenant: str
) -> None:
    told = Told(in_trouble=True)
    held = replace(sealing, telling=told)
    await answered(log, tenant)
    await seal_waiting(held)
    with pytest.raises(TryAgainError):
        await tell_heads(held)

    told.in_trouble = False
    await tell_heads(held)
    await tell_heads(held)

    assert [batch.number for batch in told.heads if batch.tenant == tenant] == [1]


async def test_several_pulses_seal_each_row_once(log: PostgresAnswerLog, sealing: Sealing, tenant: str) -> None:
    for _ in range(4):
        await answered(log, tenant)

    await asyncio.gather(*(seal_waiting(sealing) for _ in range(4)))
    await seal_waiting(sealing)

    proof = await whole_proof(sealing.app, tenant)
    assert (proof.rows, proof.waiting, proof.fault) == (12, 0, None)


async def test_an_erasure_takes_the_texts_and_leaves_a_chain_that_verifies(
    log: PostgresAnswerLog, sealing: Sealing, sync_database: SyncDatabase, owner: Database, tenant: str
) -> None:
    gone, stays = await answered(log, tenant), await answered(log, tenant)
    await seal_waiting(sealing)

    counts = [erase(sync_database, tenant, gone.attempt_id), erase(sync_database, tenant, gone.attempt_id)]
    await seal_waiting(sealing)

    proof = await whole_proof(sealing.app, tenant)
    assert counts == [1, 0]
    assert (proof.rows, proof.erased, proof.fault) == (7, 2, None)
    async with owner.transaction(tenant) as connection:
        columns = {table: ERASABLE[kind] - {"original"} for kind, table in _table_names().items()}
        for table, names in columns.items():
            for name in names:
                left = text(f"SELECT count(*) FROM {table} WHERE attempt = :attempt AND {name} IS NOT NULL")  # noqa: S608 - ours
                assert (await connection.execute(left, {"attempt": gone.attempt_id})).scalar_one() == 0, name
        originals = (await connection.execute(text("SELECT attempt FROM answer_original"))).scalars().all()
        keys = text("SELECT count(*) FROM answer_seal WHERE attempt = :attempt AND text_key IS NOT NULL AND batch = 1")
        assert originals == [stays.attempt_id]
        assert (await connection.execute(keys, {"attempt": gone.attempt_id})).scalar_one() == 0
    assert await log.find(tenant, stays.attempt_id) is not None


async def test_an_erasure_waits_for_the_seal_that_is_being_made(
    log: PostgresAnswerLog, sealing: Sealing, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    asked = await answered(log, tenant)

    async with database.transaction(tenant) as connection:
        end = await seals.hold_chain(connection, tenant)
        assert end is not None
        waiting = await seals.waiting_rows(connection, tenant, limit=BATCH_ROWS)
        places = [each.place for each in waiting]
        made = make_seals(places, await read_values(connection, tenant, places), end=end)
        batch = seal_batch(tenant, 1, made, previous=end.head, sealed_at=end.now)
        await seals.add_batch(connection, batch, made)
        await seals.wait_no_more(connection, tenant, waiting)
        erasing = asyncio.create_task(asyncio.to_thread(erase, sync_database, tenant, asked.attempt_id))
        await until_somebody_waits(database)
    await erasing

    await seal_waiting(sealing)
    proof = await whole_proof(database, tenant)
    assert (proof.rows, proof.erased, proof.fault) == (4, 2, None)


async def until_somebody_waits(database: Database) -> None:
    """Look until another connection of the app waits for a lock."""
    query = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = current_user")
    async with asyncio.timeout(30):
        while True:
            async with database.transaction("nobody") as connection:
                if (await connection.execute(query)).scalar_one():
                    return


async def test_an_exchanged_key_is_wrapped_anew_under_the_seal(
    log: PostgresAnswerLog, sealing: Sealing, database: Database, tenant: str, tmp_path: Path
) -> None:
    old, new = b"o" * 32, b"n" * 32
    asked = asked_of(tenant)
    kept = QuestionCipher(KeyRing([old])).seal("能退吗？", tenant=tenant, attempt_id=asked.attempt_id)
    await log.open(replace(asked, original=kept))
    await seal_waiting(sealing)
    file = tmp_path / "tenants.yaml"
    file.write_text(f"tenants:\n  {tenant}: {{name: Shop}}\n")
    cipher, tenants = QuestionCipher(KeyRing([new, old])), TenantDirectory(file)

    wrapped = [await wrap_stale(database, tenants, cipher), await wrap_stale(database, tenants, cipher)]

    async with database.transaction(tenant) as connection:
        original = await read_question(connection, tenant, asked.attempt_id)
    assert wrapped == [1, 0]
    assert original is not None
    alone = QuestionCipher(KeyRing([new]))
    assert alone.open(original, tenant=tenant, attempt_id=asked.attempt_id) == "能退吗？"
    assert (await whole_proof(database, tenant)).fault is None


async def test_what_is_erased_before_its_seal_is_sealed_without_its_texts(
    log: PostgresAnswerLog, sealing: Sealing, sync_database: SyncDatabase, tenant: str
) -> None:
    asked = await answered(log, tenant)
    erase(sync_database, tenant, asked.attempt_id)

    await seal_waiting(sealing)

    proof = await whole_proof(sealing.app, tenant)
    assert (proof.rows, proof.erased, proof.fault) == (4, 2, None)


async def test_an_attempt_that_was_erased_while_it_ran_closes_without_its_texts(
    log: PostgresAnswerLog, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    asked = asked_of(tenant)
    await log.open(asked)
    erase(sync_database, tenant, asked.attempt_id)

    await log.close(asked, closing_of())

    async with database.transaction(tenant) as connection:
        row = (await connection.execute(text("SELECT outcome, read_as, drafts, result FROM answer_log"))).one()
    assert tuple(row) == ("failed", None, None, None)


async def test_an_attempt_nobody_runs_any_more_is_closed_as_abandoned(
    log: PostgresAnswerLog, sealing: Sealing, owner: Database, tenant: str
) -> None:
    left, runs = asked_of(tenant), asked_of(tenant)
    await log.open(left)
    await log.open(runs)
    async with owner.transaction(tenant) as connection:
        for table in ("answer_opening", "answer_open"):
            late = f"UPDATE {table} SET opened_at = opened_at - interval '61 seconds' WHERE attempt = :attempt"  # noqa: S608 - ours
            await connection.execute(text(late), {"attempt": left.attempt_id})

    closed = [await close_abandoned_attempts(sealing), await close_abandoned_attempts(sealing)]

    async with sealing.app.transaction(tenant) as connection:
        rows = (await connection.execute(text("SELECT attempt, failure FROM answer_log"))).all()
        still_open = (await connection.execute(text("SELECT attempt FROM answer_open"))).scalars().all()
    assert closed == [1, 0]
    assert [tuple(row) for row in rows] == [(left.attempt_id, "ABANDONED")]
    assert still_open == [runs.attempt_id]


_FORBIDDEN = {
    "answer_original": ("UPDATE answer_original SET ciphertext = ''", "DELETE FROM answer_original"),
    "answer_erasure": ("INSERT INTO answer_erasure VALUES ('t', gen_random_uuid(), 1)", "DELETE FROM answer_erasure"),
    "answer_seal": ("UPDATE answer_seal SET text_key = NULL", "DELETE FROM answer_seal"),
    "answer_batch": ("UPDATE answer_batch SET rows = 1", "DELETE FROM answer_batch", "TRUNCATE answer_batch"),
}


@pytest.mark.parametrize("deed", [deed for deeds in _FORBIDDEN.values() for deed in deeds])
async def test_the_app_can_neither_change_nor_remove_what_proves_the_log(
    database: Database, tenant: str, deed: str
) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with database.transaction(tenant) as connection:
            await connection.execute(text(deed))


async def test_nobody_erases_the_answers_of_another_tenant(
    log: PostgresAnswerLog, sync_database: SyncDatabase, tenant: str
) -> None:
    asked = await answered(log, tenant)

    assert erase(sync_database, f"{tenant}-b", asked.attempt_id) == 0


async def test_a_log_without_rows_is_sound(database: Database, tenant: str) -> None:
    piece = await prove(database, tenant, FIRST)

    assert (piece.fault, piece.head, piece.next_cursor) == (None, None, "opening-")


def _table_names() -> dict[Any, str]:  # the kinds with texts
    return {kind: TABLES[kind].name for kind, names in ERASABLE.items() if names}
