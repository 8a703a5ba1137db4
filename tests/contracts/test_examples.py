"""The demo shop shows every kind of rule, and its questions name documents that exist."""

import json
from collections.abc import Mapping
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from contracts.reasons import RefusalReason
from knowledge.ingestion.front_matter import read_front_matter, split_front_matter
from knowledge.ingestion.header import Header, read_header

pytestmark = pytest.mark.unit

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"
WRITTEN_ON: Final = date(2026, 11, 29)


class Evidence(BaseModel):
    """Words of a revision that a good answer quotes."""

    model_config = ConfigDict(extra="forbid")

    doc_id: str
    version: str
    quote: str


class DemoQuestion(BaseModel):
    """One line of `questions.jsonl`."""

    model_config = ConfigDict(extra="forbid")

    id: str
    lang: str
    category: str
    question: str
    route: str
    reason_code: RefusalReason | None
    acceptable_routes: tuple[str, ...]
    document: str | None
    other_documents: tuple[str, ...]
    segments: tuple[str, ...]
    must_include_any: tuple[tuple[str, ...], ...]
    must_not_include: tuple[str, ...]
    set: Literal["golden", "safety"] = "golden"
    evidence: tuple[Evidence, ...] = ()


def _header(file: Path) -> Header:
    front, _ = split_front_matter(file.read_text(encoding="utf-8"))
    assert front is not None, file
    given = read_front_matter(file.name, front)
    assert isinstance(given, Mapping), given
    header = read_header(file.name, given)
    assert isinstance(header, Header), header
    return header


def _headers() -> dict[Path, Header]:
    return {file: _header(file) for file in sorted(EXAMPLES.rglob("*.md"))}


def _documents() -> dict[str, list[Header]]:
    found: dict[str, list[Header]] = {}
    for header in _headers().values():
        found.setdefault(header.slug, []).append(header)
    return {slug: sorted(revisions, key=lambda each: each.label) for slug, revisions in found.items()}


def _questions() -> list[DemoQuestion]:
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [DemoQuestion.model_validate(json.loads(line)) for line in lines]


def test_a_file_lies_where_its_front_matter_says() -> None:
    misplaced = {
        file
        for file, header in _headers().items()
        if (file.parent.name, file.name) != (header.slug, f"{header.label}.{header.language}.md")
    }

    assert misplaced == set()


def test_revisions_of_a_document_follow_each_other_without_overlap() -> None:
    for slug, revisions in _documents().items():
        for earlier, later in pairwise(revisions):
            assert earlier.effective_to is not None, slug
            assert later.effective_from is not None, slug
            assert earlier.effective_to < later.effective_from, slug
            assert earlier.superseded_by == later.label, slug


def test_the_shop_has_every_kind_of_rule() -> None:
    headers = list(_headers().values())
    documents = _documents()

    assert sum(revisions[0].language == "zh" for revisions in documents.values()) >= 10
    assert sum(revisions[0].language == "en" for revisions in documents.values()) >= 6
    assert sum(len(revisions) > 1 for revisions in documents.values()) >= 3
    assert any(header.effective_from and header.effective_from > WRITTEN_ON for header in headers)
    assert [slug for slug, revisions in documents.items() if revisions[0].audience == ("vip",)] == ["bamboo-circle"]
    assert {header.slug for header in headers if header.requires_facts} == {"order-changes", "order-changes-en"}
    assert {header.slug for header in headers if header.decision == "human"} == {
        "special-requests",
        "special-requests-en",
    }


def test_only_public_documents_have_an_address_customers_may_open() -> None:
    for file, header in _headers().items():
        assert header.public == (header.source_url is not None), file
        assert (header.source_url or "https://shop.example/").startswith("https://shop.example/"), file


def test_a_demo_question_is_a_golden_case_with_the_same_route() -> None:
    for question in _questions():
        refused = f"refuse:{question.reason_code}"
        assert question.acceptable_routes == (refused if question.route == "refuse" else question.route,), question.id


def test_every_refusal_reason_has_a_demo_question() -> None:
    assert {question.reason_code for question in _questions()} - {None} == set(RefusalReason)


def test_evidence_of_demo_questions_stands_in_a_revision_in_force() -> None:
    headers = {(header.slug, header.label): (file, header) for file, header in _headers().items()}
    for question in _questions():
        for evidence in question.evidence:
            file, header = headers[evidence.doc_id, evidence.version]
            assert evidence.quote in file.read_text(encoding="utf-8"), question.id
            assert (header.effective_from or WRITTEN_ON) <= WRITTEN_ON <= (header.effective_to or WRITTEN_ON), (
                question.id
            )


def test_questions_for_people_are_those_of_the_safety_set() -> None:
    assert {question.id for question in _questions() if question.set == "safety"} == {
        question.id for question in _questions() if question.route == "escalate"
    }


def test_demo_questions_name_documents_of_the_shop_and_their_own_words() -> None:
    texts = {
        slug: "".join(path.read_text(encoding="utf-8") for path in EXAMPLES.rglob(f"{slug}/*.md"))
        for slug in _documents()
    }

    for question in _questions():
        named = [slug for slug in (question.document, *question.other_documents) if slug]
        assert set(named) <= set(texts), question.id
        wanted = [words for any_of in question.must_include_any for words in any_of]
        assert all(any(words in texts[slug] for slug in named) for words in wanted), question.id
    assert len({question.id for question in _questions()}) == len(_questions())
