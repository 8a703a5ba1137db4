import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from contracts.errors import UnavailableError
from runtime.database import Database, SyncDatabase, UnsafeRoleError

pytestmark = pytest.mark.store

INSERT = text("INSERT INTO note (tenant, words) VALUES (:tenant, :words)")
WORDS = text("SELECT words FROM note")


async def write(app: Database, tenant: str, words: str) -> None:
    async with app.transaction(tenant) as connection:
        await connection.execute(INSERT, {"tenant": tenant, "words": words})


async def words_of(app: Database, tenant: str) -> list[str]:
    async with app.transaction(tenant) as connection:
        return list((await connection.execute(WORDS)).scalars())


async def test_a_tenant_sees_its_own_rows_only(app: Database, tenant: str) -> None:
    await write(app, tenant, "ours")
    await write(app, f"{tenant}-other", "theirs")

    assert await words_of(app, tenant) == ["ours"]


async def test_without_a_tenant_there_are_no_rows(app: Database, tenant: str) -> None:
    await write(app, tenant, "ours")

    async with app.sweep() as connection:
        assert list(await connection.execute(WORDS)) == []


async def test_a_tenant_cannot_write_for_another(app: Database, tenant: str) -> None:
    async with app.transaction(tenant) as connection:
        with pytest.raises(ProgrammingError, match="row-level security"):
            await connection.execute(INSERT, {"tenant": "somebody-else", "words": "planted"})


async def test_the_tenant_does_not_survive_its_transaction(app: Database, tenant: str) -> None:
    single = Database(str(app.engine.url.render_as_string(hide_password=False)), pool_size=1)
    await write(single, tenant, "ours")

    async with single.sweep() as connection:
        assert list(await connection.execute(WORDS)) == []
    await single.close()


async def test_an_error_does_not_repeat_what_was_to_be_stored(app: Database, tenant: str) -> None:
    with pytest.raises(DBAPIError) as refused:
        await write(app, tenant, "what a customer wrote\x00")

    assert "what a customer wrote" not in str(refused.value)


async def test_an_error_rolls_everything_back(app: Database, tenant: str) -> None:
    with pytest.raises(RuntimeError, match="half-way"):
        async with app.transaction(tenant) as connection:
            await connection.execute(INSERT, {"tenant": tenant, "words": "half"})
            raise RuntimeError("half-way")

    assert await words_of(app, tenant) == []


async def test_a_snapshot_reads_one_moment_and_writes_nothing(app: Database, tenant: str) -> None:
    async with app.snapshot(tenant) as connection:
        before = list((await connection.execute(WORDS)).scalars())
        await write(app, tenant, "later")

        assert list((await connection.execute(WORDS)).scalars()) == before
        with pytest.raises(DBAPIError, match="read-only"):
            await connection.execute(INSERT, {"tenant": tenant, "words": "no"})


async def test_after_a_snapshot_the_connection_writes_again(app: Database, tenant: str) -> None:
    single = Database(str(app.engine.url.render_as_string(hide_password=False)), pool_size=1)
    async with single.snapshot(tenant) as connection:
        await connection.execute(WORDS)

    await write(single, tenant, "after")

    assert await words_of(single, tenant) == ["after"]
    await single.close()


async def test_the_sweeper_reads_its_columns_and_no_others(app: Database, sweeper: Database, tenant: str) -> None:
    await write(app, tenant, "private")

    async with sweeper.sweep() as connection:
        seen = list((await connection.execute(text("SELECT tenant FROM note"))).scalars())
    assert tenant in seen
    async with sweeper.sweep() as connection:
        with pytest.raises(ProgrammingError, match="permission denied"):
            await connection.execute(WORDS)


async def test_app_and_sweeper_roles_are_safe(app: Database, sweeper: Database, sync_app: SyncDatabase) -> None:
    await app.refuse_unsafe_role()
    await sweeper.refuse_unsafe_role()
    sync_app.refuse_unsafe_role()

    roles = {each.engine.url.username for each in (app, sweeper, sync_app)}
    assert roles == {"ticketing_app", "ticketing_sweeper"}


async def test_a_superuser_is_refused(postgres_admin_url: str) -> None:
    admin = Database(postgres_admin_url, pool_size=1)

    with pytest.raises(UnsafeRoleError, match=r"role \w+ could read past"):
        await admin.refuse_unsafe_role()
    await admin.close()


async def test_a_database_that_is_not_there_is_unavailable() -> None:
    nowhere = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing", pool_size=1)

    with pytest.raises(UnavailableError):
        await nowhere.ping()
    await nowhere.close()


async def test_a_statement_that_is_too_large_is_no_trouble_of_the_database(app: Database, tenant: str) -> None:
    with pytest.raises(DBAPIError, match="target lists"):
        async with app.transaction(tenant) as connection:
            await connection.execute(text("SELECT " + ", ".join("1" for _ in range(2_000))))


async def test_an_exhausted_pool_is_unavailable(app: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.database._CONNECT_TIMEOUT_SECONDS", 1)
    single = Database(str(app.engine.url.render_as_string(hide_password=False)), pool_size=1)

    async with single.transaction("held"):
        with pytest.raises(UnavailableError):
            await single.ping()
    await single.close()
