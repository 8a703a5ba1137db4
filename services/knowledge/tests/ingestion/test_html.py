"""A web page is read as its reader sees it, with its structure."""

import pytest

from knowledge.ingestion.formats.html import read_html
from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.problems import Problem
from knowledge.ingestion.splitting import split_passages


def _read(body: str) -> str:
    return read_html(f"<html><head><title>Shop</title></head><body>{body}</body></html>".encode())


def test_headings_paragraphs_and_lists_keep_their_structure() -> None:
    page = (
        "<h1>退货</h1><p>七天内可以<b>无理由</b>退货，\n但定制商品除外。</p><p>You may return:</p>"
        "<ul><li>shoes<ol start=3><li>new</li><li>worn</li></ol></li><li><p>bags</p><p>with their label</p></li></ul>"
    )

    assert _read(page) == (
        "# 退货\n\n七天内可以无理由退货，但定制商品除外。\n\nYou may return:\n\n"
        "- shoes\n  3. new\n  4. worn\n- bags\n\n  with their label"
    )


def test_a_passage_knows_its_headings_and_keeps_the_lead_in_of_its_list() -> None:
    source = _read("<h1>Shop</h1><h2>Returns</h2><p>You may return:</p><ul><li>shoes</li><li>bags</li></ul>")

    (passage,) = split_passages(source, title="Shop")

    assert passage.heading_path == ("Returns",)
    assert passage.text == source[passage.start : passage.end] == "You may return:\n\n- shoes\n- bags"


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>secret()</script>",
        "<style>secret{}</style>",
        "<nav>secret</nav>",
        "<!-- secret -->",
        "<p hidden>secret</p>",
        "<p style='Display: none'>secret</p>",
        "<div aria-hidden=true><p>secret</p></div>",
        "<div class='page-end toc'>secret</div>",
        "<header>secret</header>",
        "<noscript>secret</noscript>",
        "<template>secret</template>",
        "<del>secret</del>",
        "<button>secret</button>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text(unseen: str) -> None:
    assert _read(f"<p>seen</p>{unseen}") == "seen"


def test_a_table_of_facts_keeps_its_rows_and_what_reaches_over_several() -> None:
    page = (
        "<table><tr><th>Tier</th><th>Weight</th><th>Fee</th></tr>"
        "<tr><td rowspan=2>Gold</td><td>1 kg</td><td>¥5</td></tr><tr><td>2 kg | more</td><td>¥8</td></tr></table>"
    )

    assert _read(page) == (
        "| Tier | Weight | Fee |\n| --- | --- | --- |\n| Gold | 1 kg | ¥5 |\n| Gold | 2 kg \\| more | ¥8 |"
    )


def test_a_table_that_only_arranges_the_page_is_read_as_its_content() -> None:
    assert _read("<table><tr><td><h2>Returns</h2><p>Seven days.</p></td></tr></table>") == "## Returns\n\nSeven days."


def test_a_long_table_says_its_head_again() -> None:
    rows = "".join(f"<tr><td>Item {place}</td><td>{'costs ' * 20}{place}</td></tr>" for place in range(20))
    source = _read(f"<table><tr><th>Item</th><th>Fee</th></tr>{rows}</table>")

    passages = split_passages(source, title="T")

    assert len(passages) > 3
    assert all(each.text.startswith("| Item | Fee |") for each in passages)


def test_text_that_looks_like_a_mark_stays_text() -> None:
    assert _read("<p>[1]: see below</p><p># is the number sign</p><p>&lt;!-- not hidden</p>") == (
        "\\[1]: see below\n\n\\# is the number sign\n\n\\<!-- not hidden"
    )


def test_code_keeps_its_lines() -> None:
    assert _read("<pre>a  b\n  c</pre>") == "~~~~\na  b\n  c\n~~~~"


def test_long_code_is_parted_between_its_lines() -> None:
    source = _read("<pre>" + "\n".join(f"line {place} of a long listing" for place in range(200)) + "</pre>")

    passages = split_passages(source, title="T")

    assert max(len(each.text) for each in passages) < 1_000
    assert "line 199 of a long listing" in passages[-1].text


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"<html><body><nav>only a menu</nav></body></html>", "EMPTY"),
        (b"<div>" * 5_000 + b"deep", "DAMAGED"),
        (("<table>" + "<tr>" + "<td rowspan=100>x" * 3_000 + "<tr>" * 200).encode(), "TOO_LARGE"),
        ("<p>größer</p>".encode("cp1252"), "UNKNOWN_ENCODING"),
    ],
)
def test_a_page_that_cannot_be_read_says_why(content: bytes, code: str) -> None:
    problem = read_content("a.html", content)

    assert isinstance(problem, Problem)
    assert (problem.field, problem.code) == ("content", code)
