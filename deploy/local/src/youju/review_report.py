"""Print doubtful answers for people."""

from collections.abc import Iterator, Sequence
from typing import Final

from youju.reviewing import Candidate, Ending, ReviewDetail, ReviewItem

_NOTHING: Final = "–"
# The search looks at fifty passages; what is worth reading stands at the top.
_SHOWN: Final = 8


def show_item(item: ReviewItem) -> int:
    """Print an item as it comes, and count it."""
    held = f", {item.held_by} has it" if item.held_by else ""
    print(f"  {item.attempt_id}  {item.waiting_since:%Y-%m-%d %H:%M}  {', '.join(item.reasons)}{held}")
    print(f"    {item.question or 'The question was erased.'}")
    return 1


def show_detail(detail: ReviewDetail) -> None:
    """Print all that is known of an attempt."""
    show_item(detail.item)
    for line in (*_ending_lines(detail.ending), *_said_lines(detail)):
        print(f"    {line}")


def _ending_lines(ending: Ending | None) -> Iterator[str]:
    if ending is None:
        yield "It has not ended."
        return
    yield f"read as: {'; '.join(ending.read_as) or _NOTHING}"
    yield f"version {ending.version}, strength {ending.strength or _NOTHING}, route {_route(ending)}"
    yield _outcome(ending)
    for number, citation in enumerate(ending.citations, start=1):
        yield f"[{number}] {citation.title} > {citation.section} ({citation.revision}): {citation.quote}"
    for draft in ending.drafts:
        for missed in draft.missed:
            yield f"{missed.model} gave {draft.writer} no draft: {missed.trouble}"
        for fault in draft.faults:
            yield f"rejected draft of {draft.writer}: {fault.code}: {fault.detail}"
        if draft.trouble:
            yield f"no draft of {draft.writer}: {draft.trouble}"
    yield from _candidate_lines("found", ending.candidates)
    yield from _candidate_lines("beyond reach", ending.beyond_reach)


def _route(ending: Ending) -> str:
    return _NOTHING if ending.route is None else f"{ending.route} by {ending.route_rule}"


def _outcome(ending: Ending) -> str:
    outcome = ending.outcome
    if outcome is None:
        return f"failed: {ending.failure_code or 'erased'}{f' ({ending.cause})' if ending.cause else ''}"
    if outcome.refused:
        return f"refused: {outcome.reason_code} ({ending.cause or 'no further cause'})"
    return f"answered: {outcome.answer}"


def _candidate_lines(name: str, candidates: Sequence[Candidate]) -> Iterator[str]:
    for each in candidates[:_SHOWN]:
        place = f"{each.slug} ({each.label}) > {each.section}" if each.slug else "a passage that was removed"
        used = "used" if each.in_context else _NOTHING
        scores = f"bm25 {each.scores.bm25:.2f}, cosine {each.scores.cosine:.2f}, fused {each.scores.fused:.2f}"
        yield f"{name}: {place}  {scores}  {used}"
    if len(candidates) > _SHOWN:
        yield f"{name}: {len(candidates) - _SHOWN} more"


def _said_lines(detail: ReviewDetail) -> Iterator[str]:
    for each in detail.checks:
        if not each.is_supported:
            yield f"a second model doubts part {each.part}: {each.reason or _NOTHING}"
    if feedback := detail.feedback:
        yield f"feedback: {feedback.rating} {feedback.reason_code or ''} {feedback.comment or ''}".rstrip()
    for each in detail.escalations:
        yield f"a person was asked for by the {each.origin}: {each.note or _NOTHING}"
    for each in detail.verdicts:
        yield f"verdict {each.number} of {each.reviewer}: {each.layer} {each.note or ''}".rstrip()
