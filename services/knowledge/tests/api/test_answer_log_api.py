"""Staff prove the answer log, run attempts again, and read a question as it was typed where they may."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from contracts.ids import printed
from contracts.reasons import FailureCode
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.answering.log import Asked, abandoned
from knowledge.tasks.sealing import Sealing, seal_waiting
from runtime.database import Database
from runtime.sealing import KeyRing
from tests.support.answering import NOON, make_asked
from tests.support.databases import OpenDatabase
from tests.support.office import Office

pytestmark = pytest.mark.store


class _Nobody:
    """Hears no head."""

    async def tell(self, batch: object) -> None:
        """Forget it."""


@pytest.fixture
async def sealing(service_database: OpenDatabase, database: Database) -> AsyncIterator[Sealing]:
    sweeper = Database(service_database("knowledge").sweeper, pool_size=1)
    yield Sealing(app=database, sweeper=sweeper, telling=_Nobody(), clock=lambda: NOON)
    await sweeper.close()


@pytest.fixture
async def asked(database: Database, tenant: str) -> Asked:
    attempt_id = uuid4()
    original = QuestionCipher(KeyRing([bytes(32)])).seal("我是王小明，能退吗？", tenant=tenant, attempt_id=attempt_id)
    asked = replace(make_asked("我是[name]，能退吗？"), tenant=tenant, attempt_id=attempt_id, original=original)
    log = PostgresAnswerLog(database, fingerprint_of=lambda tenant: tenant)
    await log.open(asked)
    await log.close(asked, replace(abandoned(NOON), failure=FailureCode.KNOWLEDGE_TIMEOUT))
    return asked


async def test_the_log_is_proved_piece_by_piece(office: Office, sealing: Sealing, asked: Asked) -> None:
    await seal_waiting(sealing)

    first = (await office.call("GET", "/audit/log", "operator")).json()
    last = (await office.call("GET", "/audit/log?cursor=erasure-", "operator")).json()
    head = await office.call("GET", "/audit/log/heads/1", "operator")

    assert asked.original is not None
    assert (first["batches"], first["rows"], first["fault"], first["nextCursor"]) == (1, 2, None, "opening-")
    assert head.json()["head"] == first["head"]["head"]
    assert first["heads"] == [first["head"]]
    assert (last["fault"], last["nextCursor"]) == (None, None)


@pytest.mark.parametrize("path", ["/audit/log/heads/1", "/audit/log?cursor=batch-7"])
async def test_a_chain_that_does_not_reach_so_far_is_told(office: Office, path: str) -> None:
    response = await office.call("GET", path, "operator")

    assert response.status_code == 404 or response.json()["fault"]["finding"] == "BATCH_MISSING"


async def test_a_cursor_of_nobody_is_refused(office: Office) -> None:
    assert (await office.call("GET", "/audit/log?cursor=x", "operator")).status_code == 400


async def test_a_failed_attempt_that_found_no_version_replays_as_it_is(office: Office, asked: Asked) -> None:
    path = f"/attempts/{printed('att', asked.attempt_id)}/replay"

    replayed = await office.call("GET", path, "reviewer")

    assert replayed.status_code == 200, replayed.text
    assert (replayed.json()["agrees"], replayed.json()["erasedAt"]) == (True, None)
    assert (await office.call("GET", path, "owner")).status_code == 403
    assert (await office.call("GET", "/attempts/att_1/replay", "reviewer")).status_code == 404


async def test_an_operator_reads_a_question_as_it_was_typed_and_the_trail_says_so(office: Office, asked: Asked) -> None:
    path = f"/attempts/{printed('att', asked.attempt_id)}/question"

    read = await office.call("GET", path, "operator")

    assert read.json()["question"] == "我是王小明，能退吗？"
    assert (await office.call("GET", path, "reviewer")).status_code == 403
    trail = (await office.call("GET", "/audit", "operator")).json()["items"]
    assert (trail[0]["act"], trail[0]["subject"]) == ("QUESTION_READ", f"attempt:{printed('att', asked.attempt_id)}")
