"""Reads the decision head of a model's reply: one JSON object that stands before everything else."""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from contracts.reasons import RefusalReason
from knowledge.answering.draft import Deviation, DeviationCode, DraftCitation

# Eight quotes of 600 characters, each of them escaped, with the JSON around them.
_LONGEST_HEAD: Final = 12_000
# Postgres keeps neither of them in JSON, and no policy holds one.
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a model decided. `refusal` is None for an answer; question parts are numbered from 1."""

    refusal: RefusalReason | None
    quotes: tuple[DraftCitation, ...]
    not_covered: tuple[int, ...]
    length: int
    """How many characters of the reply the head takes."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Quote(_Section):
    handle: str
    quote: str


class _Answer(_Section):
    decision: Literal["answer"]
    quotes: tuple[_Quote, ...] = Field(min_length=1)
    not_covered: tuple[int, ...] = ()


class _Refuse(_Section):
    decision: Literal["refuse"]
    reason: RefusalReason


_HEAD: Final[TypeAdapter[_Answer | _Refuse]] = TypeAdapter(
    Annotated[_Answer | _Refuse, Field(discriminator="decision")]
)


def read_head(reply: str) -> Head | Deviation | None:
    """Read the head of a reply as far as it has arrived; None while more of it may follow."""
    start = len(reply) - len(reply.lstrip())
    if start == len(reply):
        return None
    if reply[start] != "{":
        return Deviation(DeviationCode.NO_HEAD, "The reply does not begin with the decision head.")
    try:
        _, end = _DECODER.raw_decode(reply, start)
    except (ValueError, RecursionError):
        return _malformed() if len(reply) > _LONGEST_HEAD else None
    return _parse(reply[start:end], length=end)


def _parse(written: str, *, length: int) -> Head | Deviation:
    try:
        head = _HEAD.validate_json(written)
    except ValidationError:
        return _malformed()
    if isinstance(head, _Refuse):
        return Head(refusal=head.reason, quotes=(), not_covered=(), length=length)
    if any(_UNSTORABLE.search(each.handle + each.quote) for each in head.quotes):
        return _malformed()
    quotes = tuple(DraftCitation(each.handle, each.quote) for each in head.quotes)
    return Head(refusal=None, quotes=quotes, not_covered=head.not_covered, length=length)


def _malformed() -> Deviation:
    return Deviation(DeviationCode.HEAD_MALFORMED, "The decision head is not the JSON object that was asked for.")
