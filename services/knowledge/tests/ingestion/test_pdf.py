"""A PDF file is put together from its lines, and one without readable text says so."""

import pytest

from knowledge.ingestion.formats.pdf import read_pdf
from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.problems import Problem
from knowledge.ingestion.splitting import split_passages
from tests.support.knowledge import draft_of

_BODY = 10
_TITLE = 20


def _pdf(*pages: list[tuple[int, str]], trailer: str = "") -> bytes:
    """Write pages whose lines have a size each; a reader finds the objects without a cross-reference table."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    numbers: list[int] = []
    for page in pages:
        drawn = "".join(
            f"BT /F1 {size} Tf 50 {780 - place * 14} Td ({text}) Tj ET\n" for place, (size, text) in enumerate(page)
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream")
        font = "<< /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {font} /Contents {len(objects)} 0 R >>"
        )
        numbers.append(len(objects))
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>"
    written = "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{written}trailer\n<< /Root 1 0 R {trailer} >>\n%%EOF\n".encode("latin-1")


_LONG = "This line is as long as the page is wide and goes on with the sentence it began in the"


def test_lines_become_paragraphs_headings_and_items() -> None:
    content = _pdf(
        [
            (_TITLE, "Return policy"),
            (_BODY, _LONG),
            (_BODY, "next line. You may return:"),
            (_BODY, "\225 shoes"),
            (_BODY, "\225 bags"),
            (_BODY, "1. OUR FEES"),
            (_BODY, "Nothing is charged."),
        ]
    ).replace(b"/BaseFont /Helvetica", b"/BaseFont /Helvetica /Encoding /WinAnsiEncoding")

    assert read_pdf(content).text == (
        f"# Return policy\n\n{_LONG} next line. You may return:\n\n- shoes\n- bags\n\n## 1. OUR FEES\n\nNothing is charged."
    )


def test_headers_footers_and_page_numbers_are_left_out() -> None:
    pages = [
        [(_BODY, f"Shop policies {number}"), (_BODY, f"Rule {name} holds."), (_BODY, f"{number} / 3")]
        for number, name in enumerate(("one", "two", "three"), 1)
    ]

    assert read_pdf(_pdf(*pages)).text == "Rule one holds.\n\nRule two holds.\n\nRule three holds."


def test_a_whole_paragraph_in_capitals_stays_a_text() -> None:
    capitals = [(_BODY, "WE ARE NOT LIABLE FOR ANY DAMAGE THAT COMES FROM THE USE OF") for _ in range(3)]

    assert not read_pdf(
        _pdf([*capitals, (_BODY, "Other text that is longer than all of these capitals. " * 5)])
    ).text.startswith("#")


def test_a_wrapped_line_in_a_taller_font_is_no_heading() -> None:
    page = [(_BODY, _LONG), (_BODY + 2, _LONG[:75]), (_BODY, "next line of it.")]

    assert "#" not in read_pdf(_pdf(page)).text


def test_contents_and_rules_are_no_text() -> None:
    page = [(_BODY, "Fees . . . . . . . . . . 7"), (_BODY, "______________"), (_BODY, "Nothing is charged.")]

    assert read_pdf(_pdf(page)).text == "Nothing is charged."


def test_a_file_is_imported_with_its_title_and_exact_passages() -> None:
    content = _pdf([(_TITLE, "Return policy"), (_BODY, "Seven days. Unless it was made for you.")])

    draft = draft_of(SourceFile(path="a.PDF", content=content, header=None))

    (passage,) = split_passages(draft.source, title=draft.title)
    assert (draft.title, passage.text) == ("Return policy", "Seven days. Unless it was made for you.")
    assert draft.source[passage.start : passage.end] == passage.text


_PASSWORD = f"/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >>"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"%PDF-1.4 and nothing more", "DAMAGED"),
        (b"no PDF", "DAMAGED"),
        (_pdf([(_BODY, "text")], trailer=_PASSWORD), "ENCRYPTED"),
        (_pdf([], []), "NO_TEXT_LAYER"),
        (_pdf([(_BODY, "1")], [(_BODY, "2")]), "EMPTY"),
        (_pdf([(_BODY, "text")], [], []), "NO_TEXT_LAYER"),
        (_pdf(*[[(_BODY, "")]] * 2_001), "TOO_LARGE"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(content: bytes, code: str) -> None:
    problem = read_content("a.pdf", content)

    assert isinstance(problem, Problem)
    assert (problem.field, problem.code) == ("content", code)
