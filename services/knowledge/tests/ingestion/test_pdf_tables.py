"""Tables of a PDF file come out row by row where rules or columns tell their cells."""

from collections.abc import Sequence

from knowledge.ingestion.formats.pdf import read_pdf
from knowledge.ingestion.formats.pdf_grids import Rule, grid_of

_LEFT, _TOP, _WIDTH, _HEIGHT = 50, 700, 120, 20
_BEFORE = (50, 760, "The fees below are charged for every single order that a customer places with the shop and pays:")


def _drawn(texts: Sequence[tuple[float, float, str]], rules: Sequence[tuple[float, float, float, float]] = ()) -> str:
    said = "".join(f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in texts)
    return said + "".join(f"{x1} {y1} m {x2} {y2} l S\n" for x1, y1, x2, y2 in rules)


def _pdf(*pages: str) -> bytes:
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[str] = []
    for drawn in pages:
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream")
        font = "<< /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {font} /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    written = "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{written}trailer\n<< /Root 1 0 R >>\n%%EOF\n".encode("latin-1")


def _cells(*rows: Sequence[str]) -> list[tuple[float, float, str]]:
    """Place texts column by column, as many programs write them."""
    return [
        (_LEFT + 4 + column * _WIDTH, _TOP - 14 - place * _HEIGHT, row[column])
        for column in range(len(rows[0]))
        for place, row in enumerate(rows)
        if row[column]
    ]


def _grid(rows: int, columns: int) -> Sequence[tuple[float, float, float, float]]:
    right, bottom = _LEFT + columns * _WIDTH, _TOP - rows * _HEIGHT
    across = [(_LEFT, _TOP - row * _HEIGHT, right, _TOP - row * _HEIGHT) for row in range(rows + 1)]
    return across + [(_LEFT + at * _WIDTH, _TOP, _LEFT + at * _WIDTH, bottom) for at in range(columns + 1)]


def test_a_table_with_rules_comes_out_row_by_row_whatever_the_order_of_its_cells() -> None:
    page = _drawn(
        [_BEFORE, *_cells(("Level", "Fee"), ("Gold", "0"), ("Silver", "5")), (50, 600, "Thank you.")], _grid(3, 2)
    )

    assert read_pdf(_pdf(page)).text == (
        f"{_BEFORE[2]}\n\n| Level | Fee |\n| --- | --- |\n| Gold | 0 |\n| Silver | 5 |\n\nThank you."
    )


def test_a_cell_of_two_lines_is_one_cell() -> None:
    texts = [*_cells(("Level", "Fee"), ("Gold", "0")), (54, 671, "member")]

    assert "| Gold member | 0 |" in read_pdf(_pdf(_drawn([_BEFORE, *texts], _grid(2, 2)))).text


def test_a_table_that_goes_on_on_the_next_page_is_one_table() -> None:
    first = _drawn([_BEFORE, *_cells(("Level", "Fee"), ("Gold", "0"))], _grid(2, 2))
    second = _drawn(_cells(("Level", "Fee"), ("Silver", "5")), _grid(2, 2))

    assert read_pdf(_pdf(first, second)).text.endswith("| Level | Fee |\n| --- | --- |\n| Gold | 0 |\n| Silver | 5 |")


def test_merged_cells_say_what_the_reader_sees_in_each_row() -> None:
    across = [Rule(y, 0, 200) for y in (0, 20, 60)] + [Rule(40, 100, 200)]
    down = [Rule(x, 0, 60) for x in (0, 200)] + [Rule(100, 20, 60)]

    grid = grid_of(across, down)

    assert grid is not None
    assert grid.texts({(0, 0): "Gold", (0, 1): "a", (1, 1): "b", (2, 0): "all"}) == (
        ("Gold", "a"),
        ("Gold", "b"),
        ("all", ""),
    )


def test_a_table_may_be_open_at_its_sides() -> None:
    grid = grid_of([Rule(y, 0, 300) for y in (0, 20, 40)], [Rule(x, 0, 40) for x in (100, 200)])

    assert grid is not None
    assert grid.columns == (0, 100, 200, 300)
    assert grid.cell(150, 30) == (0, 1)
    assert grid.cell(301, 30) is None


def test_boxes_and_arrows_are_no_table() -> None:
    boxes = [Rule(y, x, x + 50) for x in (0, 100) for y in (0, 30, 60, 90)] + [Rule(45, 50, 100)]
    sides = [Rule(x, y, y + 30) for x in (0, 50, 100, 150) for y in (0, 60)] + [Rule(75, 30, 60)]

    assert grid_of(boxes, sides) is None


def test_a_frame_around_a_text_is_no_table() -> None:
    page = _drawn([_BEFORE, *_cells(("Nothing is charged.", ""), ("", ""))], _grid(2, 2))

    assert read_pdf(_pdf(page)).text == f"{_BEFORE[2]}\n\nNothing is charged."


def test_columns_without_rules_make_a_table_with_its_wrapped_cells() -> None:
    rows = [("Level", "Fee", "Days"), ("Gold", "nothing at", "7"), ("Silver", "five euros", "14")]
    texts = [text for row in rows for text in _cells(row)]
    placed = [(x, 700.0 - 24 * place, text) for place, row in enumerate(rows) for x, _, text in _cells(row)]
    wrapped = (_LEFT + 4.0 + _WIDTH, 700.0 - 24 - 11, "any time")

    text = read_pdf(_pdf(_drawn([_BEFORE, *placed[:6], wrapped, *placed[6:]]))).text

    assert len(texts) == len(placed)
    assert text.endswith(
        "| Level | Fee | Days |\n| --- | --- | --- |\n| Gold | nothing at any time | 7 |\n| Silver | five euros | 14 |"
    )


def test_items_with_a_gap_behind_their_number_are_no_table() -> None:
    items = [
        (x, 700.0 - 14 * place, said) for place in range(4) for x, said in ((50.0, f"{place + 1}."), (90.0, "Pay it."))
    ]

    assert "|" not in read_pdf(_pdf(_drawn([_BEFORE, *items]))).text


def test_pages_begin_on_the_lines_of_what_begins_on_them() -> None:
    long = "This line is as long as the page is wide and goes on with the sentence it began in the"
    pages = [
        _drawn([(50, 760, "Rule one holds."), (50, 700, long)]),
        _drawn([(50, 760, "next line of the next page."), (50, 700, "Rule two holds.")]),
        _drawn([(50, 760, "Rule three holds.")]),
    ]

    paged = read_pdf(_pdf(*pages))

    assert paged.text.split("\n")[::2] == [
        "Rule one holds.", f"{long} next line of the next page.", "Rule two holds.", "Rule three holds.",
    ]  # fmt: skip
    assert paged.page_lines == (1, 5, 7)
