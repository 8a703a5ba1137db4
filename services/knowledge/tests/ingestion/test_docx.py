"""A Word document is read with its headings, numbers, lists and tables, and without what its reader does not see."""

import io
from collections.abc import Callable
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from docx.document import Document
from docx.oxml.ns import nsdecls

from knowledge.ingestion.formats.docx import read_docx
from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.problems import Problem
from knowledge.ingestion.splitting import split_passages
from tests.support.knowledge import draft_of

_W = nsdecls("w")


def _bytes(fill: Callable[[Document], object]) -> bytes:
    document = docx.Document()
    fill(document)
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _package(parts: dict[str, str]) -> bytes:
    held = io.BytesIO()
    with ZipFile(held, "w", ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return held.getvalue()


def _structured(document: Document) -> None:
    document.add_heading("退货规定", 1)
    document.add_heading("期限", 2)
    document.add_paragraph("可以退货的有：")
    document.add_paragraph("鞋", style="List Bullet")
    document.add_paragraph("包", style="List Bullet")
    table = document.add_table(rows=3, cols=2)
    for place, text in enumerate(("等级", "运费", "金卡", "0 元", "银卡", "5 元")):
        table.cell(place // 2, place % 2).text = text


def test_headings_lists_and_tables_keep_their_structure() -> None:
    assert read_docx(_bytes(_structured)) == (
        "# 退货规定\n\n## 期限\n\n可以退货的有：\n\n- 鞋\n- 包\n\n"
        "| 等级 | 运费 |\n| --- | --- |\n| 金卡 | 0 元 |\n| 银卡 | 5 元 |"
    )


def test_a_document_is_imported_with_its_title_and_exact_passages() -> None:
    file = SourceFile(path="returns.docx", content=_bytes(_structured), header=None)

    draft = draft_of(file)

    passages = split_passages(draft.source, title=draft.title)
    assert (draft.title, draft.slug, draft.language) == ("退货规定", "returns", "zh")
    assert {each.heading_path for each in passages} == {("期限",)}
    assert all(draft.source[each.start : each.end] == each.text for each in passages)


def test_automatic_numbers_are_read_as_they_are_shown() -> None:
    level = (
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1条"/></w:lvl>'
    )
    lists = (
        f'<w:abstractNum w:abstractNumId="7">{level}</w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>'
    )
    numbered = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr>'
    texts = ("消费者有权退货。", "定制商品除外。", "本办法自公布之日起施行。")
    body = "".join(f"<w:p>{numbered}<w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)
    content = _package(
        {
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "word/numbering.xml": f"<w:numbering {_W}>{lists}</w:numbering>",
        }
    )

    assert read_docx(content).split("\n\n") == [
        "第九条 消费者有权退货。",
        "第十条 定制商品除外。",
        "第十一条 本办法自公布之日起施行。",
    ]


def test_a_cell_merged_with_the_one_above_says_the_same() -> None:
    def fill(document: Document) -> None:
        table = document.add_table(rows=3, cols=2)
        for place, text in enumerate(("Tier", "Fee", "Gold", "1", "", "2")):
            table.cell(place // 2, place % 2).text = text
        table.cell(1, 0).merge(table.cell(2, 0))

    assert read_docx(_bytes(fill)).split("\n")[2:] == ["| Gold | 1 |", "| Gold | 2 |"]


@pytest.mark.parametrize(
    "unseen",
    [
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
        "<w:r><w:rPr><w:strike/></w:rPr><w:t>secret</w:t></w:r>",
        "<w:del><w:r><w:delText>secret</w:delText></w:r></w:del>",
        "<w:r><w:instrText>HYPERLINK secret</w:instrText></w:r>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text(unseen: str) -> None:
    seen = "<w:ins><w:r><w:t>seen</w:t></w:r></w:ins>"
    content = _package(
        {"word/document.xml": f"<w:document {_W}><w:body><w:p>{seen}{unseen}</w:p></w:body></w:document>"}
    )

    assert read_docx(content) == "seen"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"no package", "DAMAGED"),
        (_bytes(_structured)[:20_000], "DAMAGED"),
        (_package({"word/other.xml": "<a/>"}), "DAMAGED"),
        (_package({"word/document.xml": "<broken"}), "DAMAGED"),
        (
            _package({"word/document.xml": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'}),
            "DAMAGED",
        ),
        (_package({"word/document.xml": "x" * (33 * 1024 * 1024)}), "TOO_LARGE"),
        (_bytes(lambda document: document.add_paragraph("")), "EMPTY"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "ENCRYPTED"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "UNKNOWN_FORMAT"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(content: bytes, code: str) -> None:
    problem = read_content("a.docx", content)

    assert isinstance(problem, Problem)
    assert (problem.field, problem.code) == ("content", code)


def test_a_note_follows_what_refers_to_it_and_a_comment_is_no_text() -> None:
    body = (
        '<w:p><w:r><w:t>七天可退</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>。</w:t></w:r></w:p>'
        '<w:p><w:commentRangeStart w:id="0"/><w:r><w:t>运费由商家承担</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r>'
        '<w:r><w:endnoteReference w:id="2"/></w:r></w:p>'
        "<w:tbl>"
        + "".join(
            f"<w:tr>{''.join(f'<w:tc><w:p>{cell}</w:p></w:tc>' for cell in row)}</w:tr>"
            for row in (
                ("<w:r><w:t>商品</w:t></w:r>", "<w:r><w:t>天数</w:t></w:r>"),
                ("<w:r><w:t>茶</w:t></w:r>", '<w:r><w:t>7</w:t></w:r><w:r><w:footnoteReference w:id="3"/></w:r>'),
            )
        )
        + "</w:tbl>"
    )
    note = '<w:{0} w:id="{1}"><w:p><w:r><w:{0}Ref/></w:r><w:r><w:t>{2}</w:t></w:r></w:p></w:{0}>'
    rule = '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    notes = note.format("footnote", 2, "食品除外。") + note.format("footnote", 3, "散装茶不退。")
    ends = note.format("endnote", 2, "偏远地区除外。")
    comments = '<w:comment w:id="0"><w:p><w:r><w:t>再议</w:t></w:r></w:p></w:comment>'
    content = _package(
        {
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "word/footnotes.xml": f"<w:footnotes {_W}>{rule}{notes}</w:footnotes>",
            "word/endnotes.xml": f"<w:endnotes {_W}>{ends}</w:endnotes>",
            "word/comments.xml": f"<w:comments {_W}>{comments}</w:comments>",
        }
    )

    assert read_docx(content) == (
        "七天可退[1]。\n\n[1] 食品除外。\n\n运费由商家承担[2]\n\n[2] 偏远地区除外。\n\n"
        "| 商品 | 天数 |\n| --- | --- |\n| 茶 | 7[3] |\n\n[3] 散装茶不退。"
    )
