"""Golden cases are kept masked and once, retired with a reason, and never changed or deleted."""

from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from knowledge.evaluation.case import CaseNotFoundError, CaseTakenError, StoredCase
from knowledge.evaluation.golden import Evidence, Golden
from knowledge.evaluation.store.cases import add_case, add_cases, list_cases, retire_case
from knowledge.evaluation.store.erasing import erase
from runtime.database import Database, SyncDatabase
from tests.support.knowledge import owner

pytestmark = pytest.mark.store

ATTEMPT = UUID(int=7)


def _case(case_id: str, question: str = "能退吗？", **fields: object) -> Golden:
    known = {"id": case_id, "lang": "zh", "category": "answerable", "acceptable_routes": ("answer",)}
    return Golden.model_validate({**known, "question": question, **fields})


async def _listed(database: Database, tenant: str, *, with_retired: bool = False) -> list[StoredCase]:
    async with database.transaction(tenant) as connection:
        return await list_cases(connection, sets=("golden", "safety"), with_retired=with_retired, after="", limit=100)


async def test_a_case_is_kept_masked(database: Database, tenant: str) -> None:
    case = _case(
        "g-1", "我的电话是 15800002605，能退吗？", evidence=(Evidence(doc_id="returns", quote="七天内可退。"),)
    )
    async with database.transaction(tenant) as connection:
        assert await add_case(connection, owner(tenant), case, attempt_id=ATTEMPT)

    (kept,) = await _listed(database, tenant)

    assert kept.golden.question == "我的电话是 [phone]，能退吗？"
    assert kept.golden.evidence == case.evidence
    assert kept.added_by == owner(tenant).actor


async def test_the_same_case_is_kept_once(database: Database, tenant: str) -> None:
    async with database.transaction(tenant) as connection:
        await add_cases(connection, owner(tenant), [_case("g-1"), _case("g-2")])
        again = await add_cases(connection, owner(tenant), [_case("g-1"), _case("g-3")])

    assert (again.added, again.known) == (("g-3",), 1)
    assert [each.golden.id for each in await _listed(database, tenant)] == ["g-1", "g-2", "g-3"]


async def test_an_id_is_not_given_to_another_case(database: Database, tenant: str) -> None:
    async with database.transaction(tenant) as connection:
        await add_case(connection, owner(tenant), _case("g-1"))

    with pytest.raises(CaseTakenError, match="g-1"):
        async with database.transaction(tenant) as connection:
            await add_cases(connection, owner(tenant), [_case("g-2"), _case("g-1", "运费谁付？")])
    assert [each.golden.id for each in await _listed(database, tenant)] == ["g-1"]


async def test_a_retired_case_stays_readable_with_its_first_reason(database: Database, tenant: str) -> None:
    async with database.transaction(tenant) as connection:
        await add_case(connection, owner(tenant), _case("g-1"))
        await retire_case(connection, owner(tenant), case_id="g-1", reason="规则改了")
        await retire_case(connection, owner(tenant), case_id="g-1", reason="又一个")

    (kept,) = await _listed(database, tenant, with_retired=True)
    assert await _listed(database, tenant) == []
    assert (kept.retired_by, kept.retired_reason) == (owner(tenant).actor, "规则改了")
    with pytest.raises(CaseTakenError, match="retired"):
        async with database.transaction(tenant) as connection:
            await add_case(connection, owner(tenant), _case("g-1"))


async def test_a_case_nobody_knows_cannot_be_retired(database: Database, tenant: str) -> None:
    with pytest.raises(CaseNotFoundError):
        async with database.transaction(tenant) as connection:
            await retire_case(connection, owner(tenant), case_id="g-9", reason="过时")


async def test_the_service_cannot_delete_a_case(database: Database, tenant: str) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with database.transaction(tenant) as connection:
            await connection.execute(text("DELETE FROM golden_case"))


async def test_a_case_loses_its_words_when_its_attempt_is_erased(
    database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    told = {"expected_answer": "a heron's answer", "note": "the heron man", "typed_facts": {"goods": "heron"}}
    evidence = (Evidence(doc_id="returns", quote="七天内可退。"),)
    async with database.transaction(tenant) as connection:
        made = _case("g-1", "My heron?", must_include_any=(("heron",),), evidence=evidence, **told)
        await add_case(connection, owner(tenant), made, attempt_id=ATTEMPT)
        await add_case(connection, owner(tenant), _case("g-2", "A heron of nobody"))

    for emptied in (1, 1):
        with sync_database.transaction(tenant) as connection:
            assert erase(connection, attempt_ids=[ATTEMPT]) == emptied

    gone, kept = await _listed(database, tenant, with_retired=True)
    assert (gone.golden.question, gone.retired_by, gone.retired_reason) == ("ERASED", "erasure", "ERASED")
    assert "heron" not in gone.golden.model_dump_json()
    assert gone.golden.evidence == evidence
    assert (kept.golden.question, kept.retired_reason) == ("A heron of nobody", None)
