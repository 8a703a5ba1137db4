"""Write an escalation the way a person at a helpdesk reads it, with everything a customer wrote made inert.

Customers' text reaches systems that expand placeholders, interpret markup, send mail and export tables. One line stays one
line, markup is escaped, placeholders are broken, and no text stands where a cell of a spreadsheet would begin.
"""

import hashlib
import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from contracts.messages import CreateTicket, TicketCitation
from ticketing.tickets.contact import contact_lines
from ticketing.tickets.templates import BUILT_IN, Headings, SectionName, Template

# Control characters but line feed and tab, and the marks that reorder or hide text.
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]"
)
_PLACEHOLDER: Final = re.compile(r"(?<=[{$<])(?=[{%#])|(?<=[%#}])(?=[}])")
_SPACE: Final = re.compile(r"\s+")
_SUBJECT_QUESTION: Final = 90
# A subject is plain text to some helpdesks and markup to others; escaping would show in the former.
_NO_TAGS: Final = str.maketrans("<>", "‹›")
# A heading and a line or two.
_WORTH_HAVING: Final = 200
_CUT: Final = {"zh": "…（内容过长，已截断）", "en": "… (cut here)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How long the texts of a helpdesk may be: the subject in characters, the body in what `size` counts."""

    subject: int
    body: int
    size: Callable[[str], int] = len


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketText:
    """A ticket in words: `html` holds the same as `plain` with everything escaped."""

    subject: str
    plain: str
    html: str


Write = Callable[[CreateTicket, Lengths], TicketText]
"""Writes a ticket as its tenant wants it, within the lengths of a helpdesk."""


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    lines: tuple[str, ...]


def key_stamp(ticket_key: str) -> str:
    """Give a ticket key as one word that any search finds whole: `yj` and 24 hexadecimal digits."""
    return "yj" + hashlib.sha256(ticket_key.encode()).hexdigest()[:24]


def render(order: CreateTicket, lengths: Lengths, *, template: Template | None = None) -> TicketText:
    """Write a ticket within the lengths of a helpdesk. The stamp of the key ends its subject and is never cut."""
    chosen = template or BUILT_IN[order.language]
    sections = _sections(order, chosen)
    cut = _CUT[order.language]
    return TicketText(
        subject=_subject(order, chosen.headings, lengths.subject),
        plain=_fitted([_plain(section) for section in sections], lengths, cut=cut),
        html=_fitted([_html(section) for section in sections], lengths, cut=f"<p>{cut}</p>"),
    )


def bytes_of(text: str) -> int:
    """Count the bytes of a text in UTF-8."""
    return len(text.encode())


def inert(text: str) -> str:
    """Take control characters out of a text and break what a helpdesk would expand, such as `{{ticket.id}}`."""
    return _PLACEHOLDER.sub("\u200b", _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """Make a text inert and a single line, so that it cannot end a header or a subject."""
    return _SPACE.sub(" ", inert(text)).strip()


def _subject(order: CreateTicket, words: Headings, length: int) -> str:
    stamp = f" [{key_stamp(order.ticket_key)}]"
    # Our own words come first: a subject that begins with = or @ would be a formula in an export.
    start = f"{words.subject}: {one_line(order.question).translate(_NO_TAGS)}"
    room = min(length - len(stamp), len(words.subject) + 2 + _SUBJECT_QUESTION)
    return (start if len(start) <= room else start[: room - 1] + "…") + stamp


def _sections(order: CreateTicket, template: Template) -> tuple[_Section, ...]:
    """Give what is to be said in the template's order, the most needed first: a long ticket loses its end."""
    words = template.headings
    texts: Mapping[SectionName, tuple[str, ...]] = {
        "question": (order.question,),
        "note": (order.note,) if order.note else (),
        "contact": contact_lines(order),
        "answer": (order.answer,) if order.answer else (),
        "refusal": (_refusal(order),) if order.refused else (),
        "origin": _origin(order, words),
        "citations": tuple(_citation(each, words) for each in order.citations),
        "feedback": _feedback(order),
        "transcript": _transcript(order),
    }
    named = [_Section(getattr(words, name), texts[name]) for name in template.sections if texts[name]]
    opening = [_Section("", (template.opening,))] if template.opening else []
    closing = [_Section("", (template.closing,))] if template.closing else []
    return (*opening, *named, *closing)


def _refusal(order: CreateTicket) -> str:
    return " ".join(each for each in (order.reason_code, order.refusal_reason) if each)


def _origin(order: CreateTicket, words: Headings) -> tuple[str, ...]:
    lines = [
        f"{words.attempt}: {order.attempt_id}",
        f"{words.escalation}: {order.escalation_id}",
        f"{words.trace}: {order.trace_id}",
    ]
    if len(order.lineage) > 1:
        lines.append(f"{words.earlier}: {', '.join(order.lineage)}")
    return tuple(lines)


def _citation(citation: TicketCitation, words: Headings) -> str:
    since = f", {words.since} {citation.effective_from.isoformat()}" if citation.effective_from else ""
    place = f"{citation.title} › {citation.section} ({citation.revision}{since})"
    return f"[{citation.index}] {one_line(place)}\n“{citation.quote}”"


def _feedback(order: CreateTicket) -> tuple[str, ...]:
    if order.feedback is None:
        return ()
    said = (order.feedback.rating, order.feedback.reason_code, order.feedback.comment)
    return (" · ".join(each for each in said if each),)


def _transcript(order: CreateTicket) -> tuple[str, ...]:
    return tuple(f"{turn.asked_at.isoformat()}\n— {turn.question}\n— {turn.answer or '…'}" for turn in order.transcript)


def _plain(section: _Section) -> str:
    # The indent keeps every line of a customer from beginning a cell, a mail header or a command.
    lines = (f"  {line}" for text in section.lines for line in inert(text).split("\n"))
    return (f"{section.heading}\n" if section.heading else "") + "\n".join(lines) + "\n\n"


def _html(section: _Section) -> str:
    texts = (html.escape(inert(text)).replace("\n", "<br>") for text in section.lines)
    heading = f"<h3>{html.escape(section.heading)}</h3>" if section.heading else ""
    return heading + "".join(f"<p>{text}</p>" for text in texts)


def _fitted(pieces: list[str], lengths: Lengths, *, cut: str) -> str:
    """Join pieces as long as they fit; of the one that does not, the beginning stays where there is room worth having."""
    text, room = "", lengths.body - lengths.size(cut)
    for piece in pieces:
        left = room - lengths.size(text)
        if lengths.size(piece) > left:
            return text + (_safe_start(piece, left, lengths.size) if left >= _WORTH_HAVING or not text else "") + cut
        text += piece
    return text


def _safe_start(piece: str, length: int, size: Callable[[str], int]) -> str:
    start = piece[:length]
    while size(start) > length:
        start = start[: len(start) * length // size(start)]
    # No tag and no character reference may be cut in the middle.
    for opening, closing in (("<", ">"), ("&", ";")):
        last = start.rfind(opening)
        if last > start.rfind(closing):
            start = start[:last]
    return start
