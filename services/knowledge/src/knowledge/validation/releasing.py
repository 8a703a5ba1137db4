"""Turns a validated answer into what customers see: titles, revisions, links and numbers come from our records."""

from dataclasses import dataclass
from uuid import UUID

from contracts.answers import CitationView, Part
from contracts.ids import printed
from knowledge.answering.log import LoggedCitation
from knowledge.validation.verdict import Citation, ValidatedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Parts that are shown before the whole is there, and every citation up to them."""

    parts: tuple[Part, ...]
    citations: tuple[CitationView, ...]


def released_parts(answer: ValidatedAnswer, *, note: str | None) -> tuple[Part, ...]:
    """Give the parts in order; a note of our own stands first."""
    first = () if note is None else (Part(kind="template", text=f"{note}\n", citations=(), question_part=None),)
    return (
        *first,
        *(
            Part(kind=part.kind, text=part.text, citations=part.citations, question_part=part.question_part)
            for part in answer.parts
        ),
    )


def released_citations(answer: ValidatedAnswer, *, attempt_id: UUID) -> tuple[LoggedCitation, ...]:
    """Give the citations as they are shown, with the places they were taken from."""
    return tuple(_released(citation, attempt_id) for citation in answer.citations)


def citation_path(attempt_id: UUID, index: int) -> str:
    """Name the place where a citation can be read again; bff puts its own in front of customers."""
    return f"/v1/attempts/{printed('att', attempt_id)}/citations/{index}"


def _released(citation: Citation, attempt_id: UUID) -> LoggedCitation:
    passage = citation.passage
    view = CitationView(
        index=citation.index,
        title=passage.title,
        section=passage.section,
        revision=passage.revision,
        effective_from=passage.effective_from,
        effective_to=passage.effective_to,
        updated_at=passage.updated_at,
        quote=citation.quote,
        detail_url=citation_path(attempt_id, citation.index),
        source_url=passage.source_url,
    )
    return LoggedCitation(
        view=view,
        passage_id=passage.passage_id,
        start=citation.start,
        end=citation.end,
        document=passage.document,
        area=passage.area,
    )
