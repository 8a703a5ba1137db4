"""What the gate is given and what it says: question parts with what was found for them, and the judgement of each."""

from collections.abc import Mapping
from dataclasses import dataclass

from contracts.reasons import EvidenceStrength, RefusalCause, RefusalReason
from knowledge.answering.cases import Naming, Parting
from knowledge.answering.draft import PartEvidence
from knowledge.answering.question_parts import QuestionPart
from knowledge.retrieval.passage import PolicyContext
from knowledge.versions.conflicts import KnownConflict

_STRENGTHS: tuple[EvidenceStrength, ...] = ("low", "medium", "high")
# What refuses the whole when no part is covered: the reason that helps the customer most comes first.
_REASONS = (
    RefusalReason.CONFLICTING_POLICY,
    RefusalReason.MISSING_BUSINESS_FACT,
    RefusalReason.HUMAN_DECISION_REQUIRED,
    RefusalReason.NO_AUTHORIZED_EVIDENCE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A question part with what its own search found."""

    part: QuestionPart
    context: PolicyContext
    named: str = ""
    """The cases that facts name."""
    is_typed: bool = False
    """Whether one of them is only what the customer typed."""
    partings: tuple[Parting, ...] = ()
    """How rules are parted into cases for this customer."""

    @property
    def naming(self) -> Naming:
        """Give what may name a case: the part itself before what it leans on, and facts."""
        part = self.part
        return Naming(texts=(part.text, *reversed(part.leans_on), part.searched), facts=self.named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a part, or the whole, is not answered. `cause` is for staff only."""

    reason: RefusalReason
    cause: RefusalCause | None = None
    missing_facts: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    """What the customer may be asked back: the cases that lead to different answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the gate says of one question part. `refusal` is None when the part may be answered."""

    evidence: PartEvidence
    strength: EvidenceStrength
    refusal: Refusal | None
    lacking: str | None = None
    """What the chosen sentences do not hold although the question asks for it."""
    conflict: KnownConflict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the customer's case: signed facts count, typed ones only make an answer conditional.

    `segments` are the audiences that the customer is in.
    """

    signed: Mapping[str, str]
    typed: Mapping[str, str]
    segments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The judgements of all question parts, in their order."""

    parts: tuple[Judgement, ...]

    @property
    def refusal(self) -> Refusal | None:
        """Give what refuses the whole; None when at least one part may be answered."""
        refusals = [part.refusal for part in self.parts if part.refusal is not None]
        if len(refusals) < len(self.parts):
            return None
        return min(refusals, key=lambda refusal: _REASONS.index(refusal.reason))

    @property
    def strength(self) -> EvidenceStrength:
        """Give the strength of the weakest part that is answered, or of the strongest when none is."""
        covered = [_STRENGTHS.index(part.strength) for part in self.parts if part.refusal is None]
        return _STRENGTHS[min(covered) if covered else max(_STRENGTHS.index(part.strength) for part in self.parts)]

    @property
    def missing_facts(self) -> tuple[str, ...]:
        """List the facts that parts lack, in the order of the parts."""
        refusals = (part.refusal for part in self.parts if part.refusal is not None)
        return tuple(dict.fromkeys(fact for refusal in refusals for fact in refusal.missing_facts))

    @property
    def cases(self) -> tuple[str, ...]:
        """List the cases that parts depend on, in the order of the parts."""
        refusals = (part.refusal for part in self.parts if part.refusal is not None)
        return tuple(dict.fromkeys(case for refusal in refusals for case in refusal.cases))
