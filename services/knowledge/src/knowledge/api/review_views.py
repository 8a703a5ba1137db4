"""What the staff API says about doubtful answers."""

from datetime import date, datetime
from typing import Literal, Self

from contracts.answers import CitationView, Outcome
from contracts.ids import printed
from contracts.model import Outgoing
from contracts.reasons import EvidenceStrength, FailureCode, Language, Rating
from knowledge.retrieval.passage import Scores
from knowledge.review.detail import Detail, Ending, Question, ShownDraft, ShownPassage
from knowledge.review.item import Item, Layer, ReviewReason, Verdict


class ReviewItemView(Outgoing):
    """An attempt in the queue. `heldBy` is the reviewer whose lease lasts; the question is null where it was erased."""

    attempt_id: str
    reasons: tuple[ReviewReason, ...]
    priority: int
    state: Literal["OPEN", "CLOSED", "ERASED"]
    question: str | None
    opened_at: datetime
    waiting_since: datetime
    held_by: str | None
    held_until: datetime | None
    verdicts: int

    @classmethod
    def of(cls, item: Item, question: str | None) -> Self:
        """Show an item with the question of its attempt."""
        fields: dict[str, object] = {name: getattr(item, name) for name in item.__slots__}
        return cls.model_validate(fields | {"attempt_id": printed("att", item.attempt_id), "question": question})


class ReviewPage(Outgoing):
    """A page of open items, the most pressing first and then the longest waiting."""

    items: tuple[ReviewItemView, ...]
    next_cursor: str | None


class NextItem(Outgoing):
    """The item that was taken; null when nobody has to look at anything."""

    item: ReviewItemView | None


class ReviewedQuestion(Outgoing):
    """What was asked, masked, by which audience, for which day. Null where the customer was erased."""

    text: str | None
    earlier: tuple[str, ...]
    conversation_id: str
    retry_of_attempt_id: str | None
    channel: str
    audience: tuple[str, ...]
    language: Language
    as_of: date
    asked_at: datetime
    facts: dict[str, str]
    typed_facts: dict[str, str]
    trace_id: str


class CandidateScores(Outgoing):
    """How strongly a passage was found, as the answer log has it."""

    bm25: float
    bm25_share: float
    cosine: float
    best_sentence: float
    fused: float
    second: float | None
    meaning: float | None
    reranked: float | None


class CandidateView(Outgoing):
    """A passage that the search looked at. Its place and text are null when it was removed with its version."""

    slug: str | None
    label: str | None
    title: str | None
    section: str | None
    text: str | None
    in_context: bool
    scores: CandidateScores


class DraftFault(Outgoing):
    """One reason why a draft was rejected. `part` and `citation` say where, from 1."""

    code: str
    part: int | None
    citation: int | None
    detail: str


class MissedModel(Outgoing):
    """A model that was asked for a draft in vain, and the trouble it was in."""

    model: str
    trouble: str


class DraftView(Outgoing):
    """What a writer sent: rejected when it has faults, missing when there was trouble instead.

    `missed` are the models that were asked for it in vain.
    """

    writer: str
    text: str
    quotes: tuple[str, ...]
    faults: tuple[DraftFault, ...]
    trouble: str | None
    missed: tuple[MissedModel, ...]


class ReviewedEnding(Outgoing):
    """How the attempt ended, and by which way.

    `readAs` says how each question part was searched, `lacking` what each lacked; `beyondReach` is what a second search
    found without audience and time, after a refusal.
    """

    outcome: Outcome | None
    failure_code: FailureCode | None
    cause: str | None
    version: int | None
    route: str | None
    route_rule: str | None
    strength: EvidenceStrength | None
    read_as: tuple[str, ...]
    lacking: tuple[str, ...]
    citations: tuple[CitationView, ...]
    candidates: tuple[CandidateView, ...]
    beyond_reach: tuple[CandidateView, ...]
    drafts: tuple[DraftView, ...]
    closed_at: datetime


class ReviewedJudgement(Outgoing):
    """What the customer thinks now; the comment is masked."""

    rating: Rating
    reason_code: str | None
    comment: str | None
    is_correction: bool
    judged_at: datetime


class ReviewedWish(Outgoing):
    """A wish for a person that came from the attempt; the note is masked."""

    escalation_id: str
    origin: Literal["customer", "rule"]
    note: str | None
    requested_at: datetime


class CheckedClaimView(Outgoing):
    """What a second model says of one claim; `part` is its place among the parts of the answer, from 1."""

    part: int
    is_supported: bool
    reason: str | None


class VerdictView(Outgoing):
    """What a reviewer found. The last verdict holds; the earlier ones stay."""

    number: int
    layer: Layer
    note: str | None
    reviewer: str
    decided_at: datetime


class ReviewDetail(Outgoing):
    """An item with everything that was logged and said of its attempt."""

    item: ReviewItemView
    question: ReviewedQuestion | None
    ending: ReviewedEnding | None
    checks: tuple[CheckedClaimView, ...]
    feedback: ReviewedJudgement | None
    escalations: tuple[ReviewedWish, ...]
    verdicts: tuple[VerdictView, ...]


def detail_view(detail: Detail) -> ReviewDetail:
    """Show an item with its attempt."""
    question, ending, judgement = detail.question, detail.ending, detail.judgement
    return ReviewDetail(
        item=ReviewItemView.of(detail.item, question.text if question else None),
        question=_question(question) if question else None,
        ending=_ending(ending) if ending else None,
        checks=tuple(CheckedClaimView.model_validate(each, from_attributes=True) for each in detail.checks),
        feedback=ReviewedJudgement.model_validate(judgement, from_attributes=True) if judgement else None,
        escalations=tuple(ReviewedWish.model_validate(each, from_attributes=True) for each in detail.wishes),
        verdicts=tuple(verdict_view(each) for each in detail.verdicts),
    )


def verdict_view(verdict: Verdict) -> VerdictView:
    """Show a verdict."""
    return VerdictView.model_validate(verdict, from_attributes=True)


def _question(question: Question) -> ReviewedQuestion:
    fields: dict[str, object] = {name: getattr(question, name) for name in question.__slots__}
    del fields["conversation"], fields["retry_of"]
    retry_of = None if question.retry_of is None else printed("att", question.retry_of)
    return ReviewedQuestion.model_validate(
        fields | {"conversation_id": question.conversation, "retry_of_attempt_id": retry_of}
    )


def _ending(ending: Ending) -> ReviewedEnding:
    fields: dict[str, object] = {name: getattr(ending, name) for name in ending.__slots__}
    return ReviewedEnding.model_validate(
        {name: value for name, value in fields.items() if name != "failure"}
        | {
            "failure_code": ending.failure,
            "candidates": tuple(_candidate(each) for each in ending.candidates),
            "beyond_reach": tuple(_candidate(each) for each in ending.beyond_reach),
            "drafts": tuple(_draft(each) for each in ending.drafts),
        }
    )


def _candidate(passage: ShownPassage) -> CandidateView:
    return CandidateView(
        slug=passage.slug,
        label=passage.label,
        title=passage.title,
        section=passage.section,
        text=passage.text,
        in_context=passage.is_in_context,
        scores=_scores(passage.scores),
    )


def _scores(scores: Scores) -> CandidateScores:
    return CandidateScores.model_validate(scores, from_attributes=True)


def _draft(draft: ShownDraft) -> DraftView:
    return DraftView.model_validate(draft, from_attributes=True)
