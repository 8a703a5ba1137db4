"""A search sees what this customer may see on this day of this version, and nothing else."""

import math
from collections import Counter
from datetime import date, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.errors import NotFoundError
from contracts.reasons import RefusalCause
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.analyser import K1, B, terms
from knowledge.retrieval.passage import PolicyContext
from knowledge.retrieval.searching import PassageDetail
from knowledge.versions.store import releases
from runtime.database import Database
from tests.support.knowledge import Importer, policy, publisher

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)


async def _search(
    searcher: DatabaseSearcher, tenant: str, question: str = "运费谁承担", **changes: object
) -> PolicyContext:
    asked = {"segments": ("public",), "as_of": _DAY, "version": None} | changes
    result = await searcher.search(tenant=tenant, question=question, **asked)  # pyright: ignore[reportArgumentType]  # the test names them
    return result.context


def _documents(context: PolicyContext) -> list[str]:
    return [found.passage.document for found in context.found]


async def test_a_passage_comes_with_its_records_and_places(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(
        tenant,
        [policy("fee", "## 退货\n\n七天内可退。运费由商家承担。\n", title="运费", effective_from="2026-01-01",
                effective_to="2026-12-31", public=True, source_url="https://shop.example/fee", priority=3)],
    )  # fmt: skip

    (found,) = (await _search(searcher, tenant)).found

    passage = found.passage
    assert (passage.title, passage.heading_path, passage.revision, passage.priority) == ("运费", ("退货",), "1", 3)
    assert (passage.effective_from, passage.effective_to) == (date(2026, 1, 1), date(2026, 12, 31))
    assert [passage.sentence_text(each) for each in passage.sentences] == ["七天内可退。", "运费由商家承担。"]
    assert found.scores.best_sentence == max(each.similarity for each in passage.sentences)


async def test_a_tenant_never_finds_what_is_anothers(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, [policy("mine", "运费由商家承担。")])
    other = f"{tenant}-other"
    await importer.publish(other, [policy("theirs", "运费由买家承担。")])

    assert _documents(await _search(searcher, tenant)) == ["mine"]
    assert _documents(await _search(searcher, other)) == ["theirs"]


async def test_a_withdrawn_text_is_gone_at_once_and_stays_gone(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    files = [policy("fee", "运费由商家承担。"), policy("other", "发票三天寄出。")]
    await importer.publish(tenant, files)
    (cited, *_) = (await _search(searcher, tenant)).found
    assert await searcher.still_current(tenant=tenant, passage_ids=[cited.passage.passage_id])

    await importer.withdraw(tenant, "fee")

    assert _documents(await _search(searcher, tenant)) == ["other"]
    assert not await searcher.still_current(tenant=tenant, passage_ids=[cited.passage.passage_id])
    await importer.publish(tenant, [policy("fee", "运费由商家承担。", effective_from="2026-01-01"), files[1]])
    assert _documents(await _search(searcher, tenant)) == ["other"]
    await importer.publish(tenant, [policy("fee", "运费由买家承担。"), files[1]])
    assert _documents(await _search(searcher, tenant)) == ["fee", "other"]


async def test_an_older_version_can_be_asked_and_rolled_back_to(
    importer: Importer, searcher: DatabaseSearcher, database: Database, tenant: str
) -> None:
    await importer.publish(tenant, [policy("old", "运费由买家承担。")])
    await importer.publish(tenant, [policy("new", "运费由商家承担。")])

    assert _documents(await _search(searcher, tenant, version=1)) == ["old"]
    async with database.transaction(tenant) as connection:
        await releases.publish(connection, publisher(tenant), number=1, expected_current=2)
    assert _documents(await _search(searcher, tenant)) == ["old"]
    with pytest.raises(NotFoundError):
        await _search(searcher, tenant, version=9)


async def test_a_refusal_is_explained_by_what_was_kept_back(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(
        tenant,
        [
            policy("vip", "会员上门取件免费。", audience=["vip"]),
            policy("later", "礼品卡可以退款。", effective_from="2027-01-01"),
            policy("open", "发票三天寄出。"),
        ],
    )

    async def cause(question: str) -> RefusalCause:
        explained = await searcher.explain_refusal(
            tenant=tenant, segments=("public",), question=question, as_of=_DAY, version=1
        )
        return explained.cause

    assert await cause("会员上门取件免费吗") is RefusalCause.FILTERED_BY_ACCESS
    assert await cause("礼品卡可以退款吗") is RefusalCause.NOT_IN_FORCE
    assert await cause("zebra") is RefusalCause.BELOW_THRESHOLD


async def test_a_passage_is_read_again_with_access_and_successor(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(
        tenant,
        [policy("fee", "运费十元。", effective_to="2026-07-31"),
         policy("fee", "运费二十元。", label="2", effective_from="2026-08-01"),
         policy("vip", "会员免运费。", audience=["vip"])],
    )  # fmt: skip
    (old, *_) = (await _search(searcher, tenant)).found
    hidden = next(
        each.passage.passage_id
        for each in (await _search(searcher, tenant, segments=("vip",))).found
        if each.passage.document == "vip"
    )

    async def read(passage_id: UUID, today: date) -> PassageDetail | None:
        return await searcher.read_passage(tenant=tenant, segments=("public",), passage_id=passage_id, today=today)

    today = await read(old.passage.passage_id, _DAY)
    later = await read(old.passage.passage_id, date(2026, 8, 2))
    assert today is not None
    assert later is not None
    assert (today.passage.text, today.replaced_by, later.replaced_by) == ("运费十元。", None, "2")
    assert await read(hidden, _DAY) is None
    assert await read(uuid4(), _DAY) is None
    await importer.withdraw(tenant, "fee")
    withdrawn = await read(old.passage.passage_id, _DAY)
    assert withdrawn is not None
    assert withdrawn.withdrawn_at is not None


@pytest.mark.parametrize("label", ["1", "2"])
async def test_a_document_that_moved_to_members_is_closed_in_its_old_text_too(
    importer: Importer, searcher: DatabaseSearcher, tenant: str, label: str
) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。")])
    (old,) = (await _search(searcher, tenant)).found
    await importer.publish(tenant, [policy("fee", "会员运费五元。", audience=["vip"], label=label)])

    async def read(*segments: str) -> PassageDetail | None:
        passage_id = old.passage.passage_id
        return await searcher.read_passage(tenant=tenant, segments=segments, passage_id=passage_id, today=_DAY)

    assert await read("public") is None
    assert await read("public", "vip") is not None


async def test_the_scores_are_bm25(importer: Importer, searcher: DatabaseSearcher, tenant: str) -> None:
    bodies = ["运费由商家承担，运费险另算。", "运费由买家承担。", "发票三天寄出。", "会员积分一年有效，过期不补。"]
    await importer.publish(tenant, [policy(f"d{n}", body, title="规则") for n, body in enumerate(bodies)])

    context = await _search(searcher, tenant, "运费险谁承担")

    listed = {body: terms(f"规则\n{body}") for body in bodies}
    expected = {body: _reference(terms("运费险谁承担"), body, listed) for body in bodies}
    assert {found.passage.text: found.scores.bm25 for found in context.found} == pytest.approx(expected, rel=1e-5)


_OFFSETS = st.none() | st.integers(-3, 3)
_SETS = st.lists(
    st.tuples(st.sets(st.sampled_from(["public", "vip", "staff"]), min_size=1), _OFFSETS, _OFFSETS),
    min_size=1,
    max_size=5,
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=_SETS, segments=st.sets(st.sampled_from(["vip", "staff"])), offset=st.integers(-4, 4))
async def test_audience_and_days_are_never_overstepped(
    importer: Importer,
    searcher: DatabaseSearcher,
    documents: list[tuple[set[str], int | None, int | None]],
    segments: set[str],
    offset: int,
) -> None:
    tenant = f"tenant-{uuid4().hex}"
    day = _DAY + timedelta(days=offset)
    files = [
        policy(
            f"d{n}",
            "运费由商家承担。",
            audience=sorted(audience),
            effective_from=_date(begins),
            effective_to=_date(ends),
        )
        for n, (audience, begins, ends) in enumerate(documents)
        if begins is None or ends is None or begins <= ends
    ]
    if not files:
        return
    await importer.publish(tenant, files)

    context = await _search(searcher, tenant, segments=tuple(segments), as_of=day)

    allowed = {
        f"d{n}"
        for n, (audience, begins, ends) in enumerate(documents)
        if audience & {*segments, "public"}
        and (begins is None or begins <= offset)
        and (ends is None or offset <= ends)
        and (begins is None or ends is None or begins <= ends)
    }
    assert set(_documents(context)) == allowed


def _date(offset: int | None) -> str | None:
    return None if offset is None else str(_DAY + timedelta(days=offset))


def _reference(question: list[str], body: str, listed: dict[str, list[str]]) -> float:
    """Compute BM25 straight from its definition."""
    average = sum(map(len, listed.values())) / len(listed)
    text = Counter(listed[body])
    total = 0.0
    for term in dict.fromkeys(question):
        containing = sum(term in each for each in listed.values())
        idf = math.log(1 + (len(listed) - containing + 0.5) / (containing + 0.5))
        total += idf * text[term] * (K1 + 1) / (text[term] + K1 * (1 - B + B * text.total() / average))
    return total
