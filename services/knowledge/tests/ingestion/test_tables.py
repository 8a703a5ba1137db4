"""Workbooks and separated values are read row by row with their head."""

import datetime as dt
import io
from collections.abc import Callable
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from knowledge.ingestion.formats.csv import read_csv
from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.formats.xlsx import read_xlsx
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.problems import Problem
from knowledge.ingestion.splitting import split_passages
from tests.support.knowledge import draft_of


def _workbook(fill: Callable[[Worksheet, Workbook], object]) -> bytes:
    workbook = Workbook()
    (sheet,) = workbook.worksheets
    sheet.title = "运费"
    fill(sheet, workbook)
    held = io.BytesIO()
    workbook.save(held)
    return held.getvalue()


def _fees(sheet: Worksheet, workbook: Workbook) -> None:
    for row in (["自七月起施行"], [], ["等级", "重量", "运费"], ["金卡", "1 kg", 5], [None, "2 kg", 8.5]):
        sheet.append(row)
    sheet.merge_cells("A4:A5")
    workbook.create_sheet("空")


def test_a_sheet_is_a_section_with_its_notes_and_tables() -> None:
    assert read_xlsx(_workbook(_fees)) == (
        "# 运费\n\n自七月起施行\n\n| 等级 | 重量 | 运费 |\n| --- | --- | --- |\n| 金卡 | 1 kg | 5 |\n| 金卡 | 2 kg | 8.5 |"
    )


def test_values_are_read_as_they_are_shown() -> None:
    def fill(sheet: Worksheet, _: Workbook) -> None:
        sheet.append(["Day", "Share", "Sum", "Yes"])
        sheet.append([dt.datetime(2026, 7, 1), 0.07, 0.1 + 0.2, True])  # noqa: DTZ001 - a workbook knows no time zone
        sheet["B2"].number_format = "0%"

    assert read_xlsx(_workbook(fill)).endswith("| 2026-07-01 | 7% | 0.3 | True |")


def test_hidden_sheets_rows_and_columns_are_no_text() -> None:
    def fill(sheet: Worksheet, workbook: Workbook) -> None:
        for row in (["A", "secret", "B"], ["1", "secret", "2"], ["secret", "secret", "secret"]):
            sheet.append(row)
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["B"].hidden = True
        other = workbook.create_sheet("secret")
        other.append(["secret"])
        other.sheet_state = "hidden"

    assert read_xlsx(_workbook(fill)) == "# 运费\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"


def test_a_workbook_is_named_after_its_file_and_every_passage_slices() -> None:
    file = SourceFile(path="费用/运费表.xlsx", content=_workbook(_fees), header=None)

    draft = draft_of(file)

    passages = split_passages(draft.source, title=draft.title)
    assert (draft.title, draft.language) == ("运费表", "zh")
    assert {each.heading_path for each in passages} == {("运费",)}
    assert all(draft.source[each.start : each.end] == each.text for each in passages)


@pytest.mark.parametrize(
    "text", ['Tier,Fee\nGold,"1,5"\n', "Tier;Fee\nGold;1,5\n", "Tier\tFee\nGold\t1,5\n", "Tier|Fee\r\nGold|1,5\r\n"]
)
def test_the_separator_is_found_out(text: str) -> None:
    assert read_csv(text.encode()) == "| Tier | Fee |\n| --- | --- |\n| Gold | 1,5 |"


def test_values_in_a_chinese_encoding_and_over_several_lines_are_read() -> None:
    assert read_csv('等级,说明\n金卡,"免运费，\n无门槛"\n'.encode("gb18030")).endswith("| 金卡 | 免运费，无门槛 |")


def test_a_row_with_one_text_inside_a_table_does_not_take_the_head_from_the_rest() -> None:
    text = "退货政策\n商品,退货期,运费\n耳机,7天,买家\n定制,,\n\n手机,14天,商家\n自七月起施行\n"

    head = "| 商品 | 退货期 | 运费 |\n| --- | --- | --- |\n"
    rows = "| 耳机 | 7天 | 买家 |\n| 定制 |  |  |\n| 手机 | 14天 | 商家 |"
    assert read_csv(text.encode()) == f"退货政策\n\n{head}{rows}\n\n自七月起施行"


def test_a_group_of_rows_under_a_merged_title_keeps_the_head_of_its_table() -> None:
    def fill(sheet: Worksheet, _: Workbook) -> None:
        for row in (["Item", "Days"], ["Audio", None], ["Headphones", "7"], ["Phones", None], ["Phone", "14"]):
            sheet.append(row)
        sheet.merge_cells("A2:B2")

    assert read_xlsx(_workbook(fill)).split("\n\n")[1:] == [
        "| Item | Days |\n| --- | --- |\n| Audio |  |\n| Headphones | 7 |\n| Phones |  |\n| Phone | 14 |"
    ]


def _with_merged(area: str) -> bytes:
    held = io.BytesIO()
    with ZipFile(io.BytesIO(_workbook(_fees))) as package, ZipFile(held, "w") as changed:
        for name in package.namelist():
            changed.writestr(name, package.read(name).replace(b"A4:A5", area.encode()))
    return held.getvalue()


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("a.xlsx", b"no package", "DAMAGED"),
        ("a.xlsx", _workbook(_fees)[:3_000], "DAMAGED"),
        ("a.xlsx", _workbook(lambda sheet, _: sheet.cell(1, 1, " ")), "EMPTY"),
        ("a.xlsx", _workbook(lambda sheet, _: sheet.cell(1_000_000, 20, "far")), "TOO_LARGE"),
        ("a.xlsx", _with_merged("A1:XFD1048576"), "TOO_LARGE"),
        ("a.csv", b'a,b\n"never closed,1\n', "DAMAGED"),
        ("a.csv", b",,\n,,\n", "EMPTY"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(path: str, content: bytes, code: str) -> None:
    problem = read_content(path, content)

    assert isinstance(problem, Problem)
    assert (problem.field, problem.code) == ("content", code)
