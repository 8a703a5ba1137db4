"""Compare what the log says of an attempt with what the same question, drafts and version come to now.

Nothing is asked of a model: whoever writes in a replay hands back the logged drafts, which are judged again, and a second
opinion on them is what it was.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from contracts.answers import Outcome
from contracts.errors import ConflictError, NotFoundError
from knowledge.answering.draft import Brief, Draft, DraftCitation, Usage, WriterTroubleError, Written
from knowledge.answering.log import Asked, Closing, LoggedDraft
from knowledge.retrieval.passage import Candidate
from knowledge.validation.second_opinion import Doubt, Spend

EXTRACTIVE: Final = "extractive"
NOT_LOGGED: Final = "not_logged"
"""The trouble of a writer that is asked for a draft the log does not have."""

# What the same code computes twice may differ in the last bits of a sum.
_SAME_SCORE: Final = 1e-6
_NO_USAGE: Final = Usage(model=None, input_tokens=0, output_tokens=0, finish_reason=None, prompt_version=None)


class AttemptNotFoundError(NotFoundError):
    """The answer log has no such attempt."""


class AttemptOpenError(ConflictError):
    """The attempt has not ended yet."""

    code = "ATTEMPT_OPEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the log has of an attempt that ended. Handles of its drafts are the ids of passages."""

    asked: Asked
    closing: Closing
    fingerprint: str
    erased_at: datetime | None
    """When its texts were erased; a replay is impossible then."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that came out otherwise."""

    field: str
    logged: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftComparison:
    """A logged draft, with the codes of its faults then and now; None where it was not judged."""

    writer: str
    logged: tuple[str, ...] | None
    now: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A passage of the attempt that was withdrawn since."""

    passage_id: UUID
    document: str
    withdrawn_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a replay came to."""

    kept: Kept
    settings_differ: bool
    differences: tuple[Difference, ...]
    drafts: tuple[DraftComparison, ...]
    withdrawn: tuple[Withdrawn, ...]


@dataclass(slots=True, kw_only=True)
class LoggedWriter:
    """Fulfils `Writer` with the drafts of the log, in their order. Writers of one attempt share both lists."""

    name: str
    left: list[LoggedDraft] = field(default_factory=list[LoggedDraft])
    handed: list[LoggedDraft] = field(default_factory=list[LoggedDraft])
    """Drafts that were handed back, the last one being judged."""

    async def write(self, brief: Brief) -> Written:
        """Hand the next draft back. Errors: WriterTroubleError, as it was logged, or because there is no further one."""
        if not self.left:
            raise WriterTroubleError(NOT_LOGGED)
        logged = self.left.pop(0)
        self.handed.append(logged)
        if logged.draft is None:
            raise WriterTroubleError(logged.trouble or NOT_LOGGED, raw=logged.raw)
        return Written(draft=_under_handles(logged.draft, brief), usage=logged.usage or _NO_USAGE)


@dataclass(frozen=True, slots=True)
class LoggedOpinion:
    """Fulfils `SecondOpinion` with what the log says of the draft that is being judged."""

    handed: Sequence[LoggedDraft]

    async def supports(self, tenant: str, doubts: tuple[Doubt, ...], *, spend: Spend) -> bool:
        """Tell whether the same doubts were lifted then; nothing is spent."""
        del tenant, spend
        return bool(self.handed) and {doubt.part for doubt in doubts} <= set(self.handed[-1].lifted)


def writers_of(drafts: Sequence[LoggedDraft]) -> tuple[LoggedWriter, LoggedWriter]:
    """Give the writer that was asked first, and the one that stood in."""
    left = list(drafts)
    models = [draft.writer for draft in drafts if draft.writer != EXTRACTIVE]
    first = LoggedWriter(name=models[0] if models else EXTRACTIVE, left=left)
    return first, LoggedWriter(name=EXTRACTIVE, left=left, handed=first.handed)


def compare(kept: Closing, now: Closing) -> tuple[Difference, ...]:
    """List everything that came out otherwise, in the order in which an attempt lives."""
    plain = {
        "version": (kept.version, now.version),
        "calibration": (_plain(kept.calibration), _plain(_shared(kept.calibration, now.calibration))),
        "routing policy": (kept.routing_policy, now.routing_policy),
        "route": (kept.route, now.route),
        "rule of the route": (kept.route_rule, now.route_rule),
        "searched as": (" | ".join(kept.read_as), " | ".join(now.read_as)),
        "strength": (kept.strength, now.strength),
        "lacking": (" | ".join(kept.lacking), " | ".join(now.lacking)),
    }
    found = [_difference(name, *values) for name, values in plain.items()]
    found += _candidate_differences(kept.candidates, now.candidates)
    found.append(_difference("policy context", _ids(kept.context), _ids(now.context)))
    found += [_draft_difference(at, each) for at, each in enumerate(compare_drafts(kept, now), start=1)]
    found += _ending_differences(kept, now)
    return tuple(each for each in found if each is not None)


def compare_drafts(kept: Closing, now: Closing) -> tuple[DraftComparison, ...]:
    """Put the verdict of each logged draft beside the one of now."""
    judged = {at: _codes(draft) for at, draft in enumerate(now.drafts) if draft.trouble != NOT_LOGGED}
    return tuple(
        DraftComparison(writer=draft.writer, logged=_codes(draft), now=judged.get(at))
        for at, draft in enumerate(kept.drafts)
    )


def _under_handles(draft: Draft, brief: Brief) -> Draft:
    """Name passages by the handles of this brief; what is not in it keeps a handle that names nothing."""
    ids = (str(found.passage.passage_id) for found in brief.context.found)
    handles = dict(zip(ids, brief.handles, strict=True))
    cited = tuple(DraftCitation(handles.get(each.handle, each.handle), each.quote) for each in draft.citations)
    return replace(draft, citations=cited)


def _codes(draft: LoggedDraft) -> tuple[str, ...] | None:
    if draft.trouble is not None:
        return None
    return tuple(_place(fault.code, fault.part, fault.citation) for fault in draft.faults)


def _place(code: str, part: int | None, citation: int | None) -> str:
    places = [f"{name} {number}" for name, number in (("part", part), ("citation", citation)) if number is not None]
    return f"{code} ({', '.join(places)})" if places else code


def _draft_difference(number: int, each: DraftComparison) -> Difference | None:
    if each.logged == each.now:
        return None
    return Difference(f"verdict of draft {number}", _said(each.logged), _said(each.now))


def _said(codes: tuple[str, ...] | None) -> str:
    return "not judged" if codes is None else ", ".join(codes) or "passed"


def _candidate_differences(kept: Sequence[Candidate], now: Sequence[Candidate]) -> Iterator[Difference | None]:
    then = {each.passage_id: each for each in kept}
    here = {each.passage_id: each for each in now}
    yield _difference("candidates gone", _ids([each for each in then if each not in here]), "")
    yield _difference("candidates new", "", _ids([each for each in here if each not in then]))
    yield _order_difference([each for each in then if each in here], [each for each in here if each in then])
    for passage_id in then.keys() & here.keys():
        scores = then[passage_id].scores.fused, here[passage_id].scores.fused
        if abs(scores[0] - scores[1]) > _SAME_SCORE:
            yield Difference(f"score of {passage_id}", f"{scores[0]:.6f}", f"{scores[1]:.6f}")


def _order_difference(then: Sequence[UUID], here: Sequence[UUID]) -> Difference | None:
    """Tell where two orders of the same candidates part: what stands before and behind is the same in both."""
    moved = [place for place, pair in enumerate(zip(then, here, strict=True)) if pair[0] != pair[1]]
    if not moved:
        return None
    stretch = slice(moved[0], moved[-1] + 1)
    return Difference(f"order of candidates from {moved[0] + 1}", _ids(then[stretch]), _ids(here[stretch]))


def _ending_differences(kept: Closing, now: Closing) -> Iterator[Difference | None]:
    yield _difference("outcome", _ending(kept), _ending(now))
    yield _difference("cause", kept.cause, now.cause)
    then, here = kept.outcome, now.outcome
    if then is None or here is None:
        return
    yield _difference("answer", then.answer, here.answer)
    yield _difference("handoff", then.handoff, here.handoff)
    yield _difference("missing facts", ", ".join(then.missing_facts), ", ".join(here.missing_facts))
    yield _difference("suggestions", _suggested(then), _suggested(here))
    yield _difference("citations", _cited(kept), _cited(now))


def _ending(closing: Closing) -> str:
    outcome = closing.outcome
    if outcome is None:
        return f"failed: {closing.failure}"
    return f"refused: {outcome.reason_code}" if outcome.refused else f"answered: {outcome.coverage}"


def _suggested(outcome: Outcome) -> str:
    return " | ".join(each.label for each in outcome.suggestions)


def _cited(closing: Closing) -> str:
    return " ".join(f"{each.passage_id}[{each.start}:{each.end}]" for each in closing.citations)


def _ids(ids: Sequence[UUID]) -> str:
    return " ".join(str(each) for each in ids)


def _shared(kept: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:  # JSON of any depth
    """Give of what is now what the log speaks of: a field that came later is no difference."""
    return {
        name: _shared(kept[name], now[name])
        if isinstance(kept[name], dict) and isinstance(now.get(name), dict)
        else now.get(name)
        for name in kept
    }


def _plain(value: Mapping[str, object]) -> str:
    return json.dumps(value, sort_keys=True)


def _difference(name: str, logged: object, now: object) -> Difference | None:
    then, here = ("" if each is None else str(each) for each in (logged, now))
    return None if then == here else Difference(name, then, here)
