"""A passage is found with where it begins and with everything that limits it."""

from datetime import date

import pytest

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.importing import SourceFile
from knowledge.retrieval.passage import Passage
from tests.support.knowledge import Importer, policy

pytestmark = pytest.mark.store


async def _passages(searcher: DatabaseSearcher, tenant: str, question: str) -> list[Passage]:
    result = await searcher.search(
        tenant=tenant, segments=("public",), question=question, as_of=date(2026, 7, 15), version=None
    )
    return [found.passage for found in result.context.found]


def _pdf(*pages: str) -> bytes:
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for text in pages:
        title, _, said = text.partition(": ")
        drawn = f"BT /F1 20 Tf 50 740 Td ({title}) Tj ET\nBT /F1 10 Tf 50 700 Td ({said}) Tj ET\n"
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {len(objects)} 0 R >>"
        )
    kids = " ".join(f"{5 + 2 * place} 0 R" for place in range(len(pages)))
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"
    written = "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{written}trailer\n<< /Root 1 0 R >>\n%%EOF\n".encode("latin-1")


async def test_what_the_record_and_the_text_say_about_its_reach_come_together(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    text = "# 运费\n\n本节仅适用于网店。\n\n## 承担\n\n运费由商家承担。\n"
    await importer.publish(tenant, [policy("fee", text, title="运费", applies_to="大件商品")])

    passage = next(each for each in await _passages(searcher, tenant, "运费谁承担") if "商家" in each.text)

    assert passage.applies_to == "大件商品\n本节仅适用于网店。"
    assert (passage.line, passage.page) == (7, None)


async def test_a_passage_of_a_pdf_file_knows_its_page(
    importer: Importer, searcher: DatabaseSearcher, tenant: str
) -> None:
    content = _pdf("Returns: You may return it within a week.", "Shipping: The shop pays for shipping.")
    await importer.publish(tenant, [SourceFile(path="fees.pdf", content=content, header=None)])

    (passage, *_) = await _passages(searcher, tenant, "Who pays for shipping?")

    assert (passage.page, passage.applies_to) == (2, None)
