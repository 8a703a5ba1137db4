"""Write an answer, a refusal or a failure so that nobody mistakes one for another."""

from collections.abc import Iterator, Sequence

from contracts.answers import CitationView, Outcome
from contracts.reasons import PartKind

_REFUSAL_MARK = "—"
_HANDOFF = {
    "none": None,
    "offered": "You can ask for a person.",
    "required": "A person has to take this over.",
}


def sentence(text: str, kind: PartKind, citations: Sequence[int]) -> str:
    """Write one part with the numbers of its citations."""
    lead = f"{_REFUSAL_MARK} " if kind == "not_covered" else ""
    return f"{lead}{text.strip()}{''.join(f' [{number}]' for number in citations)}"


def citation(view: CitationView) -> Iterator[str]:
    """Write where a quote stands and the quote itself."""
    place = " · ".join(each for each in (view.title, view.section, view.revision) if each)
    since = f", in force from {view.effective_from}" if view.effective_from is not None else ""
    until = f" until {view.effective_to}" if view.effective_to is not None else ""
    yield f"[{view.index}] {place}{since}{until}"
    yield from (f"    “{line}”" for line in view.quote.splitlines() if line.strip())


def refusal(outcome: Outcome) -> Iterator[str]:
    """Write why there is no answer, what is missing and what to do next."""
    yield f"{_REFUSAL_MARK} {outcome.answer.strip() or outcome.refusal_reason or 'There is no answer.'}"
    if outcome.reason_code is not None:
        yield f"  reason: {outcome.reason_code.value}"
    if outcome.missing_facts:
        yield f"  missing: {', '.join(outcome.missing_facts)}"
    yield from (f"  try: {each.label}: {each.question}" for each in outcome.suggestions)
    handoff = _HANDOFF[outcome.handoff]
    if handoff is not None:
        yield f"  {handoff}"
