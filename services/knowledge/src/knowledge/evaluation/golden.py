"""Read golden questions: what a good system does with them, and which words prove it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.reasons import Language, RefusalReason

ExpectedRoute = Annotated[
    str, StringConstraints(pattern=rf"^(?:answer|escalate|refuse:(?:{'|'.join(RefusalReason)}))$")
]

ANSWER: Literal["answer"] = "answer"
ESCALATE: Literal["escalate"] = "escalate"


class Evidence(BaseModel):
    """A stretch of one version of a document, verbatim in its source."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    doc_id: str
    version: int
    quote: str


class Golden(BaseModel):
    """A question with the routes that may pass, the evidence to cite and the words to say."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    lang: Language
    category: str
    scope: str | None
    question: str
    acceptable_routes: Annotated[tuple[ExpectedRoute, ...], Field(min_length=1)]
    must_include_any: tuple[tuple[str, ...], ...] = ()
    must_not_include: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    stale_evidence: tuple[Evidence, ...] = ()

    @property
    def may_be_answered(self) -> bool:
        """Tell whether an answer is acceptable."""
        return ANSWER in self.acceptable_routes

    @property
    def must_be_answered(self) -> bool:
        """Tell whether nothing but an answer is acceptable."""
        return set(self.acceptable_routes) == {ANSWER}


def read_golden(line: str) -> Golden:
    """Read one line of a golden file. Errors: pydantic's ValidationError, naming the field."""
    return Golden.model_validate_json(line)
