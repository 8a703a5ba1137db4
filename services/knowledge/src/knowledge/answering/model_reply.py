"""Reads a model's whole reply as a draft: the head, then sentences each ending with its handles.

A line is one sentence and ends with `[handle]`, `[handle, handle]` or `[handle/2]` for the second quote of a handle;
a handle without a number means all its quotes. Where a question has several parts, `# 2` on a line of its own says
which part the sentences below it answer. Titles, templates and numbers are ours, whatever the reply holds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from contracts.reasons import Language
from knowledge.answering.draft import Brief, Deviation, DeviationCode, Draft, DraftCitation, DraftPart
from knowledge.answering.model_head import Head, read_head
from knowledge.answering.templates import ABOUT, NOT_COVERED

# No citation has this position: the validator finds that the sentence leans on what the head does not list.
_NOT_LISTED: Final = 0
_PART: Final = re.compile(r"#\s*(\d{1,2})")
_WHOLE: Final = "stop"
_ENDS: Final[dict[Language, str]] = {"zh": "", "en": " "}


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A line of the reply: its text, and positions in the head's quotes from 1."""

    part: int
    text: str
    cited: tuple[int, ...]


def read_reply(reply: str, *, brief: Brief, finish_reason: str | None) -> Draft:
    """Read a reply that has ended. Whatever departs from the agreed form becomes a deviation of the draft."""
    if not reply.strip():
        return rejected(reply, Deviation(DeviationCode.EMPTY_STREAM, "The reply is empty."))
    head = read_head(reply)
    if head is None:
        return rejected(reply, Deviation(DeviationCode.HEAD_MALFORMED, "The decision head breaks off."))
    if isinstance(head, Deviation):
        return rejected(reply, head)
    if finish_reason != _WHOLE:
        return rejected(reply, Deviation(DeviationCode.TRUNCATED, "The reply breaks off."), quotes=head.quotes)
    if head.refusal is not None:
        return _refusal(reply, head)
    return _answer(reply, head, brief)


def read_beginning(reply: str, *, head: Head, brief: Brief) -> Draft | None:
    """Read the whole lines of a reply that is still arriving; None while it has no sentence to go by.

    Parts of the question are taken only in their order, so that what follows adds to a beginning and changes nothing
    of it, but for the space after its last sentence.
    """
    lines = [line.strip() for line in reply[head.length :].rpartition("\n")[0].split("\n") if line.strip()]
    sentences = _sentences(lines, head, brief)
    last = sentences[-1].part if sentences else _NOT_LISTED
    begun = {sentence.part for sentence in sentences}
    due = {
        number
        for number, part in enumerate(brief.evidence[: last - 1], start=1)
        if part.found and number not in head.not_covered
    }
    if not sentences or not due <= begun or sentences != _in_order(sentences):
        return None
    used = tuple(dict.fromkeys(each for sentence in sentences for each in sentence.cited))
    positions = {before: after for after, before in enumerate(used, start=1)} | {_NOT_LISTED: _NOT_LISTED}
    return Draft(
        refusal=None,
        missing_facts=(),
        citations=tuple(head.quotes[each - 1] for each in used if each != _NOT_LISTED),
        parts=tuple(part for number in range(1, last + 1) for part in _part(number, sentences, positions, head, brief)),
        raw=reply,
        deviations=tuple(_differences(sentences, head, brief)),
    )


def count_sentences(lines: str) -> int:
    """Count the sentences of whole lines: neither what is empty nor what only names a part of the question."""
    said = (line.strip() for line in lines.split("\n"))
    return sum(bool(line) and _PART.fullmatch(line) is None for line in said)


def rejected(reply: str, deviation: Deviation, *, quotes: tuple[DraftCitation, ...] = ()) -> Draft:
    """Give a draft without a sentence, which fails for the deviation."""
    return Draft(refusal=None, missing_facts=(), citations=quotes, parts=(), raw=reply, deviations=(deviation,))


def head_only(reply: str, head: Head) -> Draft:
    """Give a draft of a reply that was read no further than its head."""
    return Draft(refusal=None, missing_facts=(), citations=head.quotes, parts=(), raw=reply)


def _refusal(reply: str, head: Head) -> Draft:
    if reply[head.length :].strip():
        return rejected(reply, Deviation(DeviationCode.TRAILING_TEXT, "Nothing may follow a head that refuses."))
    return Draft(refusal=head.refusal, missing_facts=(), citations=(), parts=(), raw=reply)


def _answer(reply: str, head: Head, brief: Brief) -> Draft:
    lines = [line.strip() for line in reply[head.length :].split("\n") if line.strip()]
    if lines and _PART.fullmatch(lines[-1]) is None and not _ends_with_mark(lines[-1]):
        deviation = Deviation(DeviationCode.TRAILING_TEXT, "The last line does not end with its handles.")
        return rejected(reply, deviation, quotes=head.quotes)
    sentences = _in_order(_sentences(lines, head, brief))
    by_use = dict.fromkeys((*(each for sentence in sentences for each in sentence.cited if each != _NOT_LISTED),))
    order = (*by_use, *(each for each in range(1, len(head.quotes) + 1) if each not in by_use))
    positions = {before: after for after, before in enumerate(order, start=1)} | {_NOT_LISTED: _NOT_LISTED}
    numbers = {*range(1, len(brief.evidence) + 1), *(sentence.part for sentence in sentences)}
    return Draft(
        refusal=None,
        missing_facts=(),
        citations=tuple(head.quotes[each - 1] for each in order),
        parts=_closed(
            tuple(part for each in sorted(numbers) for part in _part(each, sentences, positions, head, brief))
        ),
        raw=reply,
        deviations=tuple(_differences(sentences, head, brief)),
    )


def _sentences(lines: list[str], head: Head, brief: Brief) -> tuple[_Sentence, ...]:
    part = 1 if len(brief.evidence) <= 1 else _NOT_LISTED
    read: list[_Sentence] = []
    for line in lines:
        numbered = _PART.fullmatch(line)
        if numbered is not None:
            part = int(numbered.group(1))
            continue
        text, cited = _split_mark(line, head)
        read.append(_Sentence(part=part, text=text, cited=cited))
    return tuple(read)


def _in_order(sentences: tuple[_Sentence, ...]) -> tuple[_Sentence, ...]:
    """Give the sentences in the order in which the question asks."""
    return tuple(sorted(sentences, key=lambda sentence: sentence.part))


def _ends_with_mark(line: str) -> bool:
    return line.endswith("]") and "[" in line


def _split_mark(line: str, head: Head) -> tuple[str, tuple[int, ...]]:
    if not _ends_with_mark(line):
        return line, ()
    text, _, mark = line[:-1].rpartition("[")
    cited = tuple(position for named in re.split("[,，]", mark) for position in _positions(named.strip(), head))
    return text.rstrip(), cited


def _positions(named: str, head: Head) -> tuple[int, ...]:
    handle, slash, number = named.partition("/")
    listed = tuple(place for place, cited in enumerate(head.quotes, start=1) if cited.handle == handle)
    if not slash:
        return listed or (_NOT_LISTED,)
    is_one = number.isascii() and number.isdigit() and 1 <= int(number[:3]) <= len(listed)
    return (listed[int(number[:3]) - 1],) if is_one else (_NOT_LISTED,)


def _differences(sentences: tuple[_Sentence, ...], head: Head, brief: Brief) -> Iterator[Deviation]:
    """Find parts that the head, or the gate before it, leaves uncovered and the text answers all the same."""
    unsupported = {number for number, part in enumerate(brief.evidence, start=1) if not part.found}
    for part in sorted({sentence.part for sentence in sentences} & unsupported.union(head.not_covered)):
        detail = f"Part {part} is not covered, but the text answers it."
        yield Deviation(DeviationCode.HEAD_AND_TEXT_DIFFER, detail)


def _part(
    number: int, sentences: tuple[_Sentence, ...], positions: dict[int, int], head: Head, brief: Brief
) -> Iterator[DraftPart]:
    """Give what the draft holds for one part of the question: a template of ours, and its sentences."""
    evidence = brief.evidence[number - 1] if 1 <= number <= len(brief.evidence) else None
    mine = [sentence for sentence in sentences if sentence.part == number]
    if evidence is not None and not mine and (number in head.not_covered or not evidence.found):
        yield _template("not_covered", NOT_COVERED[brief.language], evidence.question_part)
    elif evidence is not None and mine and len(brief.evidence) > 1:
        yield _template("template", ABOUT[brief.language], evidence.question_part)
    named = evidence.question_part if evidence is not None else f"# {number}"
    yield from _statements(mine, positions, named, brief.language)


def _closed(parts: tuple[DraftPart, ...]) -> tuple[DraftPart, ...]:
    return (*parts[:-1], replace(parts[-1], text=parts[-1].text.rstrip())) if parts else ()


def _template(kind: Literal["not_covered", "template"], text: str, named: str) -> DraftPart:
    filled = text.replace("{question_part}", named)
    return DraftPart(kind=kind, text=f"{filled}\n", citations=(), question_part=named)


def _statements(
    sentences: list[_Sentence], positions: dict[int, int], named: str, language: Language
) -> Iterator[DraftPart]:
    for place, sentence in enumerate(sentences, start=1):
        ends = "\n" if place == len(sentences) else _ENDS[language]
        yield DraftPart(
            kind="statement",
            text=sentence.text + ends,
            citations=tuple(positions[each] for each in sentence.cited),
            question_part=named,
        )
