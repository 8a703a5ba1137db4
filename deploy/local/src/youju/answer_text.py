"""Write an answer, a refusal or a failure so that nobody mistakes one for another, in the language of the question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from youju_client.bodies import CitationView, Outcome

_REFUSAL_MARK: Final = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """What the terminal itself says around an answer."""

    since: str
    until: str
    no_answer: str
    reason: str
    missing: str
    suggestion: str
    handoff: Mapping[str, str]
    failed: str
    cut_short: str
    taken_back: str


PHRASES: Final[Mapping[str, Phrases]] = {
    "en": Phrases(
        since=", in force from {}",
        until=" until {}",
        no_answer="There is no answer.",
        reason="reason: {}",
        missing="missing: {}",
        suggestion="try: {}: {}",
        handoff={"offered": "You can ask for a person.", "required": "A person has to take this over."},
        failed="The attempt failed: {}",
        cut_short="The stream ended before the answer was complete; ask again.",
        taken_back="Nothing printed above is an answer.",
    ),
    "zh": Phrases(
        since="，{} 起生效",
        until="，有效至 {}",
        no_answer="没有可以给出的回答。",
        reason="原因：{}",
        missing="还缺少：{}",
        suggestion="可以试试：{}：{}",
        handoff={"offered": "可以转人工客服。", "required": "这个问题需要由人工客服接手。"},
        failed="这次提问失败了：{}",
        cut_short="回答还没有完整送达，连接就断了；请再问一次。",
        taken_back="上面显示的内容都不算回答。",
    ),
}


def sentence(text: str, kind: str, citations: Sequence[int]) -> str:
    """Write one part with the numbers of its citations."""
    lead = f"{_REFUSAL_MARK} " if kind == "not_covered" else ""
    return f"{lead}{text.strip()}{''.join(f' [{number}]' for number in citations)}"


def citation(view: CitationView, phrases: Phrases) -> Iterator[str]:
    """Write where a quote stands and the quote itself."""
    place = " · ".join(each for each in (view.title, view.section, view.revision) if each)
    since = phrases.since.format(view.effective_from) if view.effective_from is not None else ""
    until = phrases.until.format(view.effective_to) if view.effective_to is not None else ""
    yield f"[{view.index}] {place}{since}{until}"
    yield from (f"    “{line}”" for line in view.quote.splitlines() if line.strip())


def refusal(outcome: Outcome, phrases: Phrases) -> Iterator[str]:
    """Write why there is no answer, what is missing and what to do next."""
    yield f"{_REFUSAL_MARK} {outcome.answer.strip() or outcome.refusal_reason or phrases.no_answer}"
    if outcome.reason_code is not None:
        yield f"  {phrases.reason.format(outcome.reason_code)}"
    if outcome.missing_facts:
        yield f"  {phrases.missing.format(', '.join(outcome.missing_facts))}"
    yield from (f"  {phrases.suggestion.format(each.label, each.question)}" for each in outcome.suggestions)
    if outcome.handoff in phrases.handoff:
        yield f"  {phrases.handoff[outcome.handoff]}"
