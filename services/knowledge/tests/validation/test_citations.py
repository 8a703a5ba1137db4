"""A quote is accepted exactly where it stands, in any script, and its offsets slice back to it."""

import unicodedata
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart
from knowledge.retrieval.passage import Found, Passage, PolicyContext, Scores
from knowledge.validation.citations import CheckedCitations, check_citations
from knowledge.validation.folding import fold
from knowledge.validation.verdict import FaultCode
from knowledge.versions.routing_policy import Bounds

pytestmark = pytest.mark.unit

# Words of several scripts, composed and not, and white space of every width between them.
WORDS = st.sampled_from(
    ["kettle", "café", "cafe\u0301", "茶壶", "がく", "か\u3099く", "한글", "\u1112\u1161\u11ab", "naïve", "शुल्क", "שלום", "👍🏽", "ﬁne", "Å", "3,5", "x\u0308y"]
)  # fmt: skip
SPACES = st.sampled_from([" ", "  ", "\n", "\t", "\u3000", "\u00a0", " \r\n "])


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = draw(st.lists(WORDS, min_size=14, max_size=20))
    return "".join(word + draw(SPACES) for word in words).strip()


def passage(number: int, text: str) -> Passage:
    return Passage(
        passage_id=UUID(int=number), document="doc", title="Doc", heading_path=(), revision="1", effective_from=None,
        effective_to=None, updated_at=datetime(2026, 1, 1, tzinfo=UTC), language="en", priority=0, text=text,
        applies_to=None, requires_facts=(), decision="rule", source_url=None, sentences=(),
    )  # fmt: skip


def check(quote: str, *texts: str, handle: str = "h1") -> CheckedCitations:
    scores = Scores(bm25=1, bm25_share=1, cosine=1, best_sentence=1, fused=1)
    found = tuple(Found(passage=passage(n, text), scores=scores) for n, text in enumerate(texts, start=1))
    brief = Brief(
        question="?", question_parts=("?",), language="en", handles=tuple(f"h{n}" for n in range(1, len(texts) + 1)),
        context=PolicyContext(version=1, found=found, candidates=(), term_idf={}),
    )  # fmt: skip
    part = DraftPart(kind="statement", text=quote, citations=(1,), question_part=None)
    draft = Draft(
        refusal=None, missing_facts=(), citations=(DraftCitation(handle, quote),), parts=(part,), raw=""
    )  # fmt: skip
    return check_citations(draft, brief=brief, bounds=Bounds())


def codes(checked: CheckedCitations) -> list[FaultCode]:
    return [fault.code for fault in checked.faults]


@given(sentences(), st.sampled_from(["NFC", "NFD"]), st.data())
def test_a_whole_passage_is_its_own_quote_under_folding(text: str, form: str, data: st.DataObject) -> None:
    written = unicodedata.normalize(form, text)  # type: ignore[arg-type] - one of two forms
    quote = data.draw(SPACES).join(written.split())

    checked = check(quote, text)

    assert codes(checked) == []
    citation = checked.found[1]
    assert citation.quote == text[citation.start : citation.end]
    assert fold(citation.quote) == fold(quote)


@given(sentences(), sentences())
def test_what_stands_in_another_passage_is_misattributed(text: str, other: str) -> None:
    if fold(text) not in fold(other):
        assert codes(check(text, other, text)) == [FaultCode.MISATTRIBUTED]


@given(sentences(), st.integers(2, 5), st.data())
def test_a_quote_stitched_from_two_places_stands_nowhere(text: str, dropped: int, data: st.DataObject) -> None:
    words = text.split()
    at = data.draw(st.integers(4, len(words) - dropped - 4))
    stitched = " ".join((*words[:at], *words[at + dropped :]))

    if fold(stitched) not in fold(text):
        assert codes(check(stitched, text)) == [FaultCode.QUOTE_NOT_VERBATIM]


@given(sentences(), st.data())
def test_one_changed_letter_stands_nowhere(text: str, data: st.DataObject) -> None:
    letters = [at for at, character in enumerate(text) if character.isascii() and character.isalpha()]
    if letters:
        at = data.draw(st.sampled_from(letters))
        changed = f"{text[:at]}{'q' if text[at] != 'q' else 'z'}{text[at + 1 :]}"

        if fold(changed) not in fold(text):
            assert codes(check(changed, text)) == [FaultCode.QUOTE_NOT_VERBATIM]


@given(st.text(min_size=12, max_size=80), st.text(max_size=120))
def test_whatever_is_accepted_slices_back_to_the_quote(quote: str, text: str) -> None:
    checked = check(quote, text + quote)

    for citation in checked.found.values():
        assert citation.quote == (text + quote)[citation.start : citation.end]
        assert fold(citation.quote) == fold(quote)


@given(st.text(max_size=30))
def test_an_unknown_handle_is_never_located(handle: str) -> None:
    if handle != "h1":
        assert codes(check("kettle kettle kettle", "kettle kettle kettle", handle=handle)) == [
            FaultCode.UNKNOWN_CITATION
        ]
