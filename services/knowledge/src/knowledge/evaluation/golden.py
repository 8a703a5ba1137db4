"""Golden questions: what a good system does with them, and which words prove it."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from contracts.reasons import Language, RefusalReason
from knowledge.ingestion.characters import find_control


def _storable(text: str) -> str:
    if control := find_control(text):
        raise ValueError(f"it holds the control character {control}")
    return text


Text = Annotated[str, AfterValidator(_storable)]
ExpectedRoute = Annotated[
    str, StringConstraints(pattern=rf"^(?:answer|escalate|refuse:(?:{'|'.join(RefusalReason)}))$")
]
GoldenSet = Literal["golden", "safety"]
CaseId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$")]
Words = Annotated[tuple[Annotated[Text, Field(min_length=1, max_length=500)], ...], Field(max_length=50)]
Facts = Annotated[
    dict[Annotated[Text, Field(max_length=100)], Annotated[Text, Field(max_length=500)]], Field(max_length=20)
]

ANSWER: Literal["answer"] = "answer"
ESCALATE: Literal["escalate"] = "escalate"


class Evidence(BaseModel):
    """A stretch of a document, verbatim in its source. Without a version any revision of the document will do."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    doc_id: Annotated[Text, Field(min_length=1, max_length=500)]
    version: Annotated[int | Text | None, Field(description="The label of the revision")] = None
    quote: Annotated[Text, Field(min_length=1, max_length=5_000)]

    def is_version(self, label: str) -> bool:
        """Tell whether this evidence may come from the revision of that label."""
        return self.version is None or str(self.version) == label


class ExpectedPart(BaseModel):
    """A part of the question with the words that show that it is answered: one of each group."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    about: Annotated[Text, Field(max_length=500)] = ""
    must_include_any: Annotated[tuple[Words, ...], Field(min_length=1, max_length=20)]


class Golden(BaseModel):
    """A question with the routes that may pass, the evidence to cite and the words to say.

    `segments`, `facts`, `typed_facts` and `as_of` say who asks, with what known, and for which day.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: CaseId
    lang: Language
    category: Annotated[Text, Field(min_length=1, max_length=100)]
    scope: Annotated[Text, Field(max_length=100)] | None = None
    question: Annotated[Text, Field(min_length=1, max_length=10_000)]
    acceptable_routes: Annotated[tuple[ExpectedRoute, ...], Field(min_length=1, max_length=20)]
    expected_answer: Annotated[Text, Field(max_length=5_000)] | None = None
    must_include_any: Annotated[tuple[Words, ...], Field(max_length=20)] = ()
    must_not_include: Words = ()
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=20)] = ()
    stale_evidence: Annotated[tuple[Evidence, ...], Field(max_length=20)] = ()
    parts: Annotated[tuple[ExpectedPart, ...], Field(max_length=10)] = ()
    set: GoldenSet = "golden"
    as_of: date | None = None
    segments: Annotated[tuple[Text, ...], Field(max_length=50)] = ()
    facts: Facts = Field(default_factory=dict[str, str])
    typed_facts: Facts = Field(default_factory=dict[str, str])
    note: Annotated[Text, Field(max_length=2_000)] | None = None

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
