"""The staff's bench for searches: what each arm brings, in which order, and why a passage did not come."""

import asyncio
from dataclasses import asdict
from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from contracts.model import Outgoing
from contracts.reasons import Language
from knowledge.api.dependencies import WithResources
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Reader
from knowledge.retrieval.inspecting import ArmCandidates, Fate, Inspected, Inspection, Inspector
from personal_data.masking import mask
from runtime.clock import business_day

router = APIRouter(prefix="/v1/staff/retrieval", tags=["retrieval"], responses=PROBLEMS)


class RetrievalRequest(Outgoing):
    """A question as a customer with these segments would ask it on a day of a version.

    Without a version the current one is searched, without a day today, without segments what everybody may see.
    """

    question: str = Field(min_length=1, max_length=2_000)
    version: int | None = Field(default=None, ge=1, le=2_147_483_647)
    as_of: date | None = None
    segments: tuple[str, ...] = Field(default=(), max_length=50)


class ArmCandidateView(Outgoing):
    """A passage with the score of one arm: BM25 for words, else a cosine."""

    passage_id: str
    score: float


class ArmView(Outgoing):
    """One arm. An arm that was built with something else than what runs here is not used."""

    name: Literal["words", "first", "second"]
    built_with: str | None
    is_used: bool
    candidates: tuple[ArmCandidateView, ...]


class ScoresView(Outgoing):
    """How a passage was found. `bm25Share` is BM25 over its maximum for this question; `fused` makes the order."""

    bm25: float
    bm25_share: float
    cosine: float
    best_sentence: float
    second: float | None
    fused: float
    strength: float = Field(description="Evidence on the scale of the routing policy's thresholds")


class InspectedView(Outgoing):
    """A passage and what became of it: how far it came, or every condition that kept it back."""

    rank: int
    passage_id: str
    document: str
    title: str
    section: str
    revision: str
    language: Language
    text: str
    page: int | None = Field(description="The page of a PDF on which it begins, from 1")
    line: int = Field(description="The line of the stored text on which it begins, from 1")
    applies_to: str | None = Field(description="What limits it, a statement a line: of the record, then of the text")
    scores: ScoresView
    fates: tuple[Fate, ...]


class RetrievalView(Outgoing):
    """A search, opened up; nothing of it is logged."""

    version: int
    as_of: date
    terms: dict[str, float] = Field(description="The terms of the question and how rare each is")
    arms: tuple[ArmView, ...]
    passages: tuple[InspectedView, ...]


def inspector(request: Request) -> Inspector:
    """Give what opens searches up in this process."""
    found: Inspector = request.app.state.inspector
    return found


@router.post("", summary="Open a search up")
async def post_retrieval(
    asked: RetrievalRequest,
    staff: Reader,
    held: WithResources,
    bench: Annotated[Inspector, Depends(inspector)],
) -> RetrievalView:
    """Search as a customer would and show every step; the answer log is left alone."""
    as_of = asked.as_of or business_day(held.clock(), staff.tenant.time_zone)
    # A customer's question is masked before it is searched for, and an arm may be an endpoint elsewhere.
    question = await asyncio.to_thread(mask, asked.question.replace("\0", " "))
    inspection = await bench.inspect(
        tenant=staff.claims.tenant,
        segments=asked.segments,
        question=question,
        as_of=as_of,
        version=asked.version,
    )
    return _view(inspection, as_of)


def _view(inspection: Inspection, as_of: date) -> RetrievalView:
    return RetrievalView(
        version=inspection.version,
        as_of=as_of,
        terms=inspection.terms,
        arms=tuple(_arm(each) for each in inspection.arms),
        passages=tuple(_passage(rank, each) for rank, each in enumerate(inspection.passages, 1)),
    )


def _arm(arm: ArmCandidates) -> ArmView:
    candidates = tuple(ArmCandidateView(passage_id=str(each), score=score) for each, score in arm.candidates)
    return ArmView.model_validate(
        {"name": arm.name, "built_with": arm.built_with, "is_used": arm.is_used, "candidates": candidates}
    )


def _passage(rank: int, inspected: Inspected) -> InspectedView:
    record, scores = inspected.record, asdict(inspected.scores)
    return InspectedView(
        rank=rank,
        passage_id=str(record.passage_id),
        document=record.document,
        title=record.title,
        section=record.section,
        revision=record.revision,
        language=record.language,
        text=record.text,
        page=record.page,
        line=record.line,
        applies_to=record.applies_to,
        scores=ScoresView.model_validate(
            {name: scores[name] for name in ScoresView.model_fields if name in scores}
            | {"strength": inspected.strength}
        ),
        fates=inspected.fates,
    )
