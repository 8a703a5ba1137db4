"""The routing policy: reviewed configuration that decides answer, refuse, handoff. No model can change it.

This module holds the frozen shape; reading it from YAML belongs to `parse_routing_policy` below.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.reasons import Handoff, RefusalReason


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Topic(_Section):
    """A subject that is never answered from policies but routed: matched on the folded question.

    `phrases` are plain text; a phrase with a space matches words in that order with up to three words between.
    `unless` are phrases that take the match back ("我不是要投诉").
    """

    name: str
    phrases: tuple[str, ...]
    unless: tuple[str, ...] = ()


class FactPattern(_Section):
    """A question about the customer's own case, which no policy can answer. `fact` is the key that is missing."""

    fact: str
    patterns: tuple[str, ...] = Field(description="Regular expressions over the folded question")


class Thresholds(_Section):
    """Bands of the fused evidence score (see calibration): refuse below `refuse_below`, answer from `answer_from`."""

    refuse_below: float = 0.9
    answer_from: float = 1.2
    claim_overlap: Annotated[float, Field(ge=0, le=1)] = 0.6


class Bounds(_Section):
    """Hard limits of rule 2."""

    context_passages: int = 8
    context_characters: int = 6_000
    citations_per_claim: int = 3
    citations_per_answer: int = 8
    quote_characters: int = 600


class Weights(_Section):
    """Fusion weights: `bm25 * share + use * z(cosine)`. Source: retrieval.md section 4."""

    bm25: float = 5.0
    use: float = 0.5


class RoutingPolicy(_Section):
    """Everything code consults to choose the path of a question."""

    name: str
    escalation_topics: tuple[Topic, ...]
    human_requested: tuple[Topic, ...]
    personal_facts: tuple[FactPattern, ...]
    human_decision: tuple[Topic, ...]
    thresholds: Thresholds = Thresholds()
    bounds: Bounds = Bounds()
    weights: Weights = Weights()
    handoff: dict[RefusalReason, Handoff]
    writer_fallback: bool = True
    retries_per_lineage: int = 3
    mode: Literal["whole"] = "whole"
