"""Calibrations: what labelled questions of a tenant say about how strong evidence has to be."""

import asyncio
from datetime import date
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from contracts.model import Outgoing
from knowledge.answering.evidence import strongest_parts
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import OwnerOrPublisher
from knowledge.retrieval.searching import Searcher
from knowledge.versions.fitting import MOST_WRONG, Reading, fit
from knowledge.versions.store.recalibrating import recalibrate, take_number
from personal_data.masking import mask
from runtime.clock import business_day

router = APIRouter(prefix="/v1/staff/calibrations", tags=["calibrations"], responses=PROBLEMS)


class LabelledQuestion(BaseModel):
    """A question, and whether the policies answer it."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    question: str = Field(min_length=1, max_length=1_000)
    answerable: bool


class CalibrationRequest(BaseModel):
    """Questions of customers of one tenant, fifty to a hundred of them, and how many wrong answers are too many."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    questions: tuple[LabelledQuestion, ...] = Field(min_length=20, max_length=500)
    segments: tuple[Annotated[str, Field(pattern=r"^[^\s,]{1,64}$")], ...] = Field(default=(), max_length=20)
    most_wrong: float = Field(
        default=MOST_WRONG, alias="mostWrong", gt=0, lt=1,
        description="The share of unanswerable questions that may be answered",
    )  # fmt: skip


class BinView(Outgoing):
    """Questions whose chance of an answer was said to be about the same, and what it was."""

    lowest: float
    highest: float
    questions: int
    said: float
    was: float


class CalibrationReport(Outgoing):
    """The staged version, and what would change: measured on questions that were left out of the fit."""

    version: int
    calibrated_from: int
    words: float
    meaning: float
    refuse_below: float
    answer_from: float
    reliability: tuple[BinView, ...]
    answered_before: float
    answered_after: float
    wrong_before: float
    wrong_after: float
    needless_before: float
    needless_after: float


@router.post("", status_code=201, summary="Calibrate evidence with labelled questions")
async def post_calibration(
    asked: CalibrationRequest, staff: OwnerOrPublisher, held: WithResources
) -> CalibrationReport:
    """Search the current version for every question, fit its bands, and stage a version that shares everything else.

    The questions are masked before they are searched for, and not kept. Nothing answers differently before the new
    version is published.
    """
    tenant = staff.claims.tenant
    today = business_day(held.clock(), staff.tenant.time_zone)
    serving = await held.searcher.serving(tenant=tenant)
    readings = [
        await _read(held.searcher, each, asked.segments, tenant=tenant, version=serving.version, as_of=today)
        for each in asked.questions
    ]
    fitted, report = fit(readings, most_wrong=asked.most_wrong)
    async with held.database.transaction(tenant) as connection:
        number = await take_number(connection)
    # Copying the counts of a large version takes seconds, in which others publish and import.
    async with held.database.transaction(tenant) as connection:
        await recalibrate(connection, acting(staff), base=serving.version, fitted=fitted, number=number)
    return CalibrationReport(
        version=number,
        calibrated_from=serving.version,
        words=fitted.words,
        meaning=fitted.meaning,
        refuse_below=fitted.refuse_below,
        answer_from=fitted.answer_from,
        reliability=tuple(BinView.model_validate(each, from_attributes=True) for each in report.reliability),
        answered_before=report.answered_before,
        answered_after=report.answered_after,
        wrong_before=report.wrong_before,
        wrong_after=report.wrong_after,
        needless_before=report.needless_before,
        needless_after=report.needless_after,
    )


async def _read(  # noqa: PLR0913 - a question, and what it is searched in
    searcher: Searcher, asked: LabelledQuestion, segments: tuple[str, ...], *, tenant: str, version: int, as_of: date
) -> Reading:
    question = await asyncio.to_thread(mask, asked.question)
    found = await searcher.search(tenant=tenant, segments=segments, question=question, as_of=as_of, version=version)
    policy = found.serving.routing_policy
    parts = strongest_parts(found.context.found, question=question, weights=policy.weights)
    return Reading(
        words=parts.words,
        meaning=parts.meaning,
        is_answerable=asked.answerable,
        is_answered=parts.strength >= policy.thresholds.answer_from,
    )
