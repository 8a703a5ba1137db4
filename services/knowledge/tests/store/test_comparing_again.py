"""A version that is compared by what changed lists what comparing everything lists."""

import random
from dataclasses import dataclass, field
from typing import Final

import pytest

from contracts.ids import uuid7
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.likeness import likeness
from knowledge.tasks import comparing
from knowledge.tasks import conflicts as conflicts_task
from knowledge.versions import version as version_module
from knowledge.versions.store import conflicts as conflicts_store
from knowledge.versions.store import dismissals
from knowledge.versions.store.duplicates import list_duplicates
from runtime.database import Database
from tests.support.knowledge import Importer, owner, policy

pytestmark = pytest.mark.store

_FEW: Final = 3
_RULES: Final = (
    "收到商品后{}天内可以申请退货。",
    "申请退货可以在收到商品后{}天内。",
    "退款在审核通过后{}个工作日内原路退回。",
    "收到商品后{}天内不可以申请退货，定制商品除外，食品和鲜花也除外，运费由买家承担。",
    "收到商品后{}天内可以申请退货，定制商品除外，食品和鲜花也除外，运费由买家承担。",
    "A used battery can be returned within {} days of delivery.",
)
_HEADERS: Final[tuple[dict[str, object], ...]] = (
    {},
    {"audience": ["vip"]},
    {"priority": 5},
    {"effective_to": "2026-12-31"},
    {"effective_from": "2027-01-01"},
    {"applies_to": "月付"},
)

Pair = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Shop:
    """Policies that change by chance."""

    chance: random.Random
    held: dict[str, SourceFile] = field(default_factory=dict[str, SourceFile])
    withdrawn: set[str] = field(default_factory=set[str])

    def change(self, count: int) -> None:
        """Write so many policies anew, and forget one."""
        for number in self.chance.sample(range(12), count):
            rules = self.chance.sample(_RULES, self.chance.randint(1, 2))
            body = "".join(rule.format(self.chance.randint(5, 7)) for rule in rules)
            slug = f"p{number}"
            self.held[slug] = policy(slug, f"# 退货\n\n{body}\n", **self.chance.choice(_HEADERS))
        del self.held[self.chance.choice(sorted(self.held))]

    async def withdraw(self, importer: Importer, tenant: str) -> None:
        """Withdraw one policy or let one answer again."""
        if self.withdrawn:
            await importer.restore(tenant, self.withdrawn.pop())
        else:
            self.withdrawn.add(self.chance.choice(sorted(self.held)))
            await importer.withdraw(tenant, *self.withdrawn)


async def _pairs(database: Database, tenant: str, number: int) -> set[Pair]:
    async with database.transaction(tenant) as connection:
        listed = await dismissals.list_conflicts(connection, number=number, after=-1, limit=500)
    pairs = [frozenset({(each.one.slug, each.one.sentence), (each.other.slug, each.other.sentence)}) for each in listed]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


async def _copies(database: Database, tenant: str, number: int) -> list[tuple[str, str, float]]:
    async with database.transaction(tenant) as connection:
        listed = await list_duplicates(connection, number=number, after=0, limit=500)
    return [(each.one.slug, each.other.slug, each.similarity) for each in listed]


async def _stage_anew(importer: Importer, tenant: str, files: list[SourceFile]) -> int:
    """Stage what is published once more, as another comparer does."""
    with pytest.MonkeyPatch.context() as other:
        other.setattr(conflicts_task, "COMPARER", "another")
        other.setattr(comparing, "MEASURE", str(uuid7()))
        other.setattr(version_module, "MOST_CONFLICTS", 1_000)
        other.setattr(conflicts_task, "MOST_CONFLICTS", 1_000)
        number = (await importer.stage(tenant, files)).version
    assert number is not None
    return number


@pytest.mark.parametrize("seed", [1, 2])
async def test_what_changed_finds_what_everything_finds(
    importer: Importer, database: Database, tenant: str, seed: int
) -> None:
    shop = _Shop(random.Random(seed))  # noqa: S311 - made-up policies
    shop.change(10)
    found: list[int] = []

    for _ in range(4):
        number = await importer.publish(tenant, [*shop.held.values()])
        anew = await _stage_anew(importer, tenant, [*shop.held.values()])
        pairs = await _pairs(database, tenant, number)
        found.append(len(pairs))
        assert pairs == await _pairs(database, tenant, anew)
        assert await _copies(database, tenant, number) == await _copies(database, tenant, anew)
        await shop.withdraw(importer, tenant)
        shop.change(2)

    assert sum(found) > len(found)


@pytest.fixture
def short_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a list hold few pairs."""
    for module in (conflicts_task, conflicts_store, version_module):
        monkeypatch.setattr(module, "MOST_CONFLICTS", _FEW)


@pytest.mark.usefixtures("short_list")
async def test_a_list_that_was_cut_is_as_full_as_it_can_be(importer: Importer, database: Database, tenant: str) -> None:
    shop = _Shop(random.Random(3))  # noqa: S311 - made-up policies
    shop.change(12)
    dismissed = 0

    for _ in range(4):
        number = await importer.publish(tenant, [*shop.held.values()])
        pairs = await _pairs(database, tenant, number)
        everything = await _pairs(database, tenant, await _stage_anew(importer, tenant, [*shop.held.values()]))
        assert pairs <= everything
        assert len(pairs) == min(len(everything), _FEW + dismissed)
        async with database.transaction(tenant) as connection:
            listed = await dismissals.list_conflicts(connection, number=number, after=-1, limit=1, only_open=True)
            for each in listed:
                await dismissals.dismiss_conflict(connection, owner(tenant), key=each.key, reason="两种商品")
                dismissed += 1
        shop.change(2)

    assert dismissed


async def test_what_was_withdrawn_is_compared_once_it_is_restored(
    importer: Importer, database: Database, tenant: str
) -> None:
    one, two, three = (
        policy(slug, f"# 退货期限\n\n收到商品后{days}天内可以申请退货。\n")
        for slug, days in (("a", 7), ("b", 9), ("c", 15))
    )
    await importer.publish(tenant, [one, two])
    await importer.withdraw(tenant, "a")
    await importer.publish(tenant, [one, two, three])
    await importer.publish(tenant, [one, two, three, policy("d", "运费十元。")])
    assert await _slugs(database, tenant, 3) == [("b", "c")]

    await importer.restore(tenant, "a")
    await importer.publish(tenant, [one, two, three])

    assert await _slugs(database, tenant, 4) == [("a", "b"), ("a", "c"), ("b", "c")]


async def _slugs(database: Database, tenant: str, number: int) -> list[tuple[str, ...]]:
    return sorted(tuple(sorted(slug for slug, _ in pair)) for pair in await _pairs(database, tenant, number))


async def test_two_passages_are_measured_once(
    importer: Importer, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [
        f"自签收之日起七天内可以无理由退货，运费由商家承担，食品除外，退款在{number}个工作日内到账。"
        for number in range(4)
    ]
    files = [policy(f"p{number}", text) for number, text in enumerate(texts)]
    measured: list[tuple[str, str]] = []

    def measure(one: str, other: str) -> float:
        measured.append((one, other))
        return likeness(one, other)

    monkeypatch.setattr(comparing, "likeness", measure)
    await importer.publish(tenant, files)
    at_first = tuple(measured)
    await importer.publish(tenant, files)
    assert tuple(measured) == at_first
    changed = texts[3].replace("食品除外", "生鲜除外")
    await importer.publish(tenant, [*files[:3], policy("p3", changed)])

    assert any(changed in pair for pair in measured)
    assert len(set(measured)) == len(measured)
    assert len(await _copies(database, tenant, 3)) == len(await _copies(database, tenant, 1)) > 0
