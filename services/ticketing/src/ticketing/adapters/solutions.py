"""Read what a person at a helpdesk wrote for the customer, and give it as plain text."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from ticketing.tickets.rendering import inert

# What a TicketChanged carries at most; a longer solution says where the rest is: in the helpdesk's own mail.
_LONGEST: Final = 4_000
_BREAKS: Final = "p, div, br, li, tr, h1, h2, h3, h4, blockquote"


def plain_solution(text: str | None, *, is_html: bool = False) -> str | None:
    """Give a solution as plain text without markup and control characters; None when it says nothing."""
    said = inert(_text_of(text) if is_html and text else text or "").strip()
    lines = (" ".join(line.split()) for line in said.split("\n"))
    kept = "\n".join(line for line in lines if line)
    return (kept if len(kept) <= _LONGEST else kept[: _LONGEST - 1] + "…") or None


def _text_of(markup: str) -> str:
    parsed = LexborHTMLParser(markup)
    parsed.strip_tags(["script", "style", "template"])
    for node in parsed.css(_BREAKS):
        node.insert_after("\n")
    return parsed.text(deep=True)
