"""The routing policy: reviewed configuration that decides answer, refuse, handoff. No model can change it."""

import re
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from contracts.errors import InvalidRequestError
from contracts.faults import reason_of
from contracts.reasons import Handoff, RefusalReason
from knowledge.versions.calibration import Calibration


class InvalidRoutingPolicyError(InvalidRequestError):
    """The routing policy is not valid."""

    code = "INVALID_ROUTING_POLICY"

    def __init__(self, faults: tuple[str, ...]) -> None:
        """Name every faulty field with what is wrong with it."""
        self.faults = faults
        super().__init__("The routing policy is not valid. " + " ".join(faults))


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as malformed:
        raise ValueError(f"{pattern!r} is no regular expression: {malformed}") from malformed
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Topic(_Section):
    """A subject that is never answered from policies but routed: matched on the folded question.

    `phrases` are plain text; a phrase with a space matches words in that order with up to three words between.
    `patterns` are regular expressions, for what a list of phrases cannot say. `unless` are phrases that take the
    match back ("我不是要投诉").
    """

    name: str
    phrases: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    unless: tuple[str, ...] = ()
    holds_when_denied: bool = Field(
        default=False, description="Whether the topic is heard even where the question seems to deny it"
    )


class FactPattern(_Section):
    """A question about the customer's own case, which no policy can answer. `fact` is the key that is missing."""

    fact: str
    patterns: tuple[Pattern, ...] = Field(description="Regular expressions over the folded question")


class CaseFact(_Section):
    """A fact that tells the cases of rules apart: `fact` is its key in the tenant's form, `values` are the cases' names.

    `words` are what customers say for a case, in whatever language.
    """

    fact: str
    values: tuple[str, ...] = Field(min_length=1, description="As `applies_to` of documents names them")
    audiences: dict[str, str] = Field(
        default_factory=dict[str, str], description="Which of the values the readers of a segment are"
    )

    words: dict[str, tuple[str, ...]] = Field(
        default_factory=dict[str, tuple[str, ...]], description="Other words for a value, in this or another language"
    )

    @model_validator(mode="after")
    def _values_are_known(self) -> Self:
        for field, named in (("audiences", self.audiences.values()), ("words", self.words)):
            if unknown := [name for name in named if name not in self.values]:
                raise ValueError(f"{field} names {', '.join(unknown)}, which values does not hold")
        return self


class Thresholds(_Section):
    """Bands of evidence strength (see `answering.evidence`): refuse below `refuse_below`, answer from `answer_from`.

    What is quoted must carry `covered` of the question's words, by their weight, where both are in one language;
    `covered_in_general` where the question speaks of nobody in the conversation (see `answering.general_questions`).
    """

    refuse_below: float = 1.0
    answer_from: float = 1.5
    claim_overlap: Annotated[float, Field(ge=0, le=1)] = 0.2
    covered: Annotated[float, Field(ge=0, le=1)] = 0.0
    covered_in_general: Annotated[float, Field(ge=0, le=1)] = 0.5

    @model_validator(mode="after")
    def _bands_are_in_order(self) -> Self:
        if self.refuse_below > self.answer_from:
            raise ValueError("refuse_below lies above answer_from")
        return self


class Bounds(_Section):
    """Hard limits of rule 2, and of the answer as a whole."""

    context_passages: Annotated[int, Field(ge=1, le=20)] = 8
    context_characters: Annotated[int, Field(ge=1)] = 6_000
    citations_per_claim: Annotated[int, Field(ge=1)] = 3
    citations_per_answer: Annotated[int, Field(ge=1)] = 8
    quote_characters: Annotated[int, Field(ge=12, le=600)] = 600
    statements_per_answer: Annotated[int, Field(ge=1, le=100)] = 24


class TwoWeights(_Section):
    """The order of passages: `bm25 * share + use * z`."""

    bm25: float = 5.0
    use: float = 0.3


class ThreeWeights(_Section):
    """The order of passages with a second arm: `bm25 * share + use * z + second * z of the second arm`.

    Measured with bench/weights.py.
    """

    bm25: float = 4.0
    use: float = 0.3
    second: float = 0.25


class Weights(_Section):
    """What `bm25 * share + use * z(cosine)` weighs evidence with: the thresholds are on this scale.

    Passages are put in order by `two`, or by `three` where a second arm has vectors. Source: retrieval.md section 4.
    """

    bm25: float = 5.0
    use: float = 0.5
    most_by_words: float = Field(default=2.5, description="What words contribute to evidence at most")
    two: TwoWeights = TwoWeights()
    three: ThreeWeights = ThreeWeights()


class RoutingPolicy(_Section):
    """Everything code consults to choose the path of a question."""

    name: str
    escalation_topics: tuple[Topic, ...]
    human_requested: tuple[Topic, ...]
    personal_facts: tuple[FactPattern, ...]
    human_decision: tuple[Topic, ...]
    case_facts: tuple[CaseFact, ...] = ()
    thresholds: Thresholds = Thresholds()
    bounds: Bounds = Bounds()
    weights: Weights = Weights()
    handoff: dict[RefusalReason, Handoff]
    writer_fallback: bool = True
    retries_per_lineage: int = 3
    mode: Literal["whole", "verified_sentences"] = Field(
        default="whole",
        description="Whether a model's sentences are shown as they pass, or the answer when it is whole",
    )

    @model_validator(mode="after")
    def _every_reason_has_a_handoff(self) -> Self:
        missing = [reason for reason in RefusalReason if reason not in self.handoff]
        if missing:
            raise ValueError(f"handoff says nothing of {', '.join(missing)}")
        return self


def calibrated(policy: RoutingPolicy, calibration: Calibration) -> RoutingPolicy:
    """Put a policy's bands and weights of evidence on the scale of a tenant; nothing else of it changes."""
    fitted, weights, thresholds = calibration.fitted, policy.weights, policy.thresholds
    bands = {"covered": max(thresholds.covered, calibration.covered)}
    if fitted is None:
        bands |= {name: getattr(thresholds, name) * calibration.stretch for name in ("refuse_below", "answer_from")}
        return policy.model_copy(update={"thresholds": thresholds.model_copy(update=bands)})
    bands |= {"refuse_below": fitted.refuse_below, "answer_from": fitted.answer_from}
    words, meaning = weights.bm25 * fitted.words, weights.use * fitted.meaning
    learned = weights.model_copy(update={"bm25": words, "use": meaning, "most_by_words": words})
    return policy.model_copy(update={"thresholds": thresholds.model_copy(update=bands), "weights": learned})


@lru_cache(maxsize=64)
def parse_routing_policy(yaml_text: str) -> RoutingPolicy:
    """Read and check a routing policy.

    Errors: InvalidRoutingPolicyError naming each faulty field, or the line where the YAML breaks.
    """
    try:
        return RoutingPolicy.model_validate(yaml.safe_load(yaml_text))
    except ValidationError as invalid:
        raise InvalidRoutingPolicyError(tuple(_sentence(error) for error in invalid.errors())) from invalid
    except (yaml.YAMLError, ValueError, RecursionError) as broken:
        raise InvalidRoutingPolicyError((f"It is not YAML: {_first_line(broken)}.",)) from broken


def default_routing_policy() -> str:
    """Give the text of the policy a tenant starts with."""
    return files("knowledge.versions").joinpath("default_routing_policy.yaml").read_text(encoding="utf-8")


def _sentence(error: Any) -> str:  # pydantic's ErrorDetails is a loose TypedDict
    place = ".".join(str(step) for step in error["loc"]) or "the document"
    return f"{place}: {reason_of(error)}."


def _first_line(broken: Exception) -> str:
    mark = getattr(broken, "problem_mark", None)
    problem = getattr(broken, "problem", None) or str(broken)
    return f"line {mark.line + 1}: {problem}" if mark else str(problem)
