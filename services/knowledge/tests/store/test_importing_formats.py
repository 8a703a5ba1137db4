"""Files of several formats become one version, and each is quoted from the place where it stands."""

from datetime import date

import pytest

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.importing import SourceFile
from tests.support.knowledge import Importer

pytestmark = pytest.mark.store

_FILES = (
    SourceFile(
        path="returns.html",
        content="<nav>首页</nav><h1>退货</h1><h2>运费</h2><p>退货运费由商家承担。</p>".encode("gb18030"),
        header=None,
    ),
    SourceFile(path="tiers.csv", content="等级,免邮门槛\n金卡,满五十元\n银卡,满九十元\n".encode("utf-16"), header=None),
    SourceFile(path="invoices.txt", content="开票后三个工作日内寄出发票。\n".encode(), header=None),
    SourceFile(path="gifts.json", content='{"礼品": {"说明": "礼品卡不可兑换现金。"}}'.encode(), header=None),
)


async def test_files_of_several_formats_are_published_and_found_together(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    await importer.publish(tenant, _FILES)

    expected = {
        "退货运费谁承担": "退货运费由商家承担。",
        "银卡免邮门槛": "| 银卡 | 满九十元 |",
        "发票什么时候寄出": "开票后三个工作日内寄出发票。",
        "礼品卡可以兑换现金吗": "礼品卡不可兑换现金。",
    }
    for question, quote in expected.items():
        result = await searcher.search(tenant=tenant, segments=("public",), question=question, as_of=date(2026, 7, 15))
        assert quote in result.context.found[0].passage.text


async def test_a_broken_file_is_left_out_and_told(importer: Importer, tenant: str) -> None:
    broken = SourceFile(path="scan.pdf", content=b"%PDF-1.4 cut", header=None)

    progress = await importer.stage(tenant, [*_FILES, broken])

    assert (progress.state, progress.files_done, progress.problems_total) == ("STAGED", len(_FILES) + 1, 1)
    assert [(each.path, each.field, each.code) for each in progress.problems] == [("scan.pdf", "content", "DAMAGED")]
