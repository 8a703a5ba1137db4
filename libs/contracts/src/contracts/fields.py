"""What fields mean that stand in several bodies: their description, bounds and an example, said once."""

from datetime import date, datetime
from typing import Annotated, Final

from pydantic import Field

from contracts.reasons import AttemptStatus, Coverage, FailureCode, Handoff, Language, PartKind, RefusalReason

# Bounds of what is answered are far above what is ever said: they size buffers and columns, and refuse nothing.
_MOST_VERSIONS: Final = 2_147_483_647
_MOST_TEXT: Final = 100_000
_MOST_LISTED: Final = 1_000
_MOST_HEADING: Final = 10_000

ConversationId = Annotated[
    str,
    Field(
        description="The conversation: `cnv_` and 32 hexadecimal digits",
        max_length=64,
        examples=["cnv_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
AttemptId = Annotated[
    str,
    Field(
        description="The attempt: `att_` and 32 hexadecimal digits",
        max_length=64,
        examples=["att_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
RetryOf = Annotated[
    str | None,
    Field(
        description="The attempt this one retries; null when it is the first try of its question",
        max_length=64,
        examples=["att_01932f7a6b2c7d3e8f90a1b2c3d4e5f5"],
    ),
]
TraceId = Annotated[
    str,
    Field(
        description="Names this attempt in our logs; tell it to support",
        max_length=64,
        examples=["0af7651916cd43dd8448eb211c80319c"],
    ),
]
KnowledgeVersion = Annotated[
    int | None,
    Field(
        description="The number of the published version that answers; null until it is known",
        ge=0,
        le=_MOST_VERSIONS,
        examples=[12],
    ),
]
AsOf = Annotated[
    date, Field(description="The day in the tenant's time zone whose rules are asked about", examples=["2026-11-30"])
]
AnswerLanguage = Annotated[Language, Field(description="The language of the answer", examples=["zh"])]
Status = Annotated[AttemptStatus, Field(description="PENDING until it ends as COMPLETED (answer or refusal) or FAILED")]
AnswerText = Annotated[
    str,
    Field(
        description="The whole text to show: the texts of `parts` joined, or the sentence of a refusal",
        max_length=_MOST_TEXT,
        examples=["无理由退货的运费由买家承担。"],
    ),
]
IsRefused = Annotated[bool, Field(description="Whether this is a refusal: a result without evidence, never an error")]
CoverageShare = Annotated[
    Coverage, Field(description="How much of the question is answered: `none` exactly when it is refused")
]
ReasonCode = Annotated[
    RefusalReason | None, Field(description="Why it is refused, stable for ever; null when it is not")
]
RefusalSentence = Annotated[
    str | None,
    Field(
        description="Why it is refused, as a sentence to show; null when it is not",
        max_length=_MOST_TEXT,
        examples=["现有政策里没有找到依据。"],
    ),
]
FactName = Annotated[str, Field(max_length=200, examples=["orderStatus"])]
MissingFacts = Annotated[
    tuple[FactName, ...],
    Field(description="Facts to ask the customer for; with MISSING_BUSINESS_FACT only", max_length=_MOST_LISTED),
]
NextStep = Annotated[
    Handoff, Field(description="Whether to offer a person: `required` means a person has to take this over")
]
Retryable = Annotated[bool, Field(description="Whether a retry may succeed; a button to retry belongs here only")]
Code = Annotated[FailureCode, Field(description="Why the attempt failed, stable for ever")]
PartText = Annotated[
    str,
    Field(description="The text to show, as it is", max_length=_MOST_TEXT, examples=["退款在五个工作日内到账。"]),
]
Kind = Annotated[
    PartKind,
    Field(description="`statement` is cited, `template` is our lead-in, `not_covered` names what has no evidence"),
]
CitationIndexes = Annotated[
    tuple[Annotated[int, Field(ge=1, le=_MOST_LISTED)], ...],
    Field(description="The `index` of each citation of this part", max_length=_MOST_LISTED, examples=[[1, 2]]),
]
CitationIndex = Annotated[
    int, Field(description="The number shown, counted by first use from 1", ge=1, le=_MOST_LISTED, examples=[1])
]
Title = Annotated[str, Field(description="The document's title", max_length=_MOST_HEADING, examples=["退货与换货政策"])]
Section = Annotated[
    str,
    Field(description="The headings above the passage, joined", max_length=_MOST_HEADING, examples=["退货 › 运费"]),
]
Revision = Annotated[
    str, Field(description="The document's revision by its label", max_length=_MOST_HEADING, examples=["2026-07"])
]
EffectiveFrom = Annotated[
    date | None, Field(description="First day the revision is in force; null: always was", examples=["2026-07-01"])
]
EffectiveTo = Annotated[
    date | None, Field(description="Last day it is in force; null: until further notice", examples=["2026-12-31"])
]
UpdatedAt = Annotated[
    datetime, Field(description="When the document was last edited, UTC", examples=["2026-06-20T08:00:00Z"])
]
Quote = Annotated[
    str,
    Field(
        description="The exact words of the passage that support the part",
        min_length=1,
        max_length=600,
        examples=["无理由退货的运费由买家承担"],
    ),
]
SourceUrl = Annotated[
    str | None,
    Field(
        description="Where the tenant shows the document to the public; null when it does not",
        max_length=2_000,
        examples=["https://shop.example/policies/returns"],
    ),
]
CreatedAt = Annotated[datetime, Field(description="When it was made, UTC", examples=["2026-11-30T08:00:00Z"])]
TicketNumber = Annotated[
    str | None,
    Field(description="The ticket's number at support; null until there is one", max_length=200, examples=["T-1042"]),
]
