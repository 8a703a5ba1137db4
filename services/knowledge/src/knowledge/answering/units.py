"""Tells what kind of unit each sentence of a passage is, and which units belong together.

A condition belongs to the rule before it, a list item to its lead-in, a table row to its header: quoted alone, each of
them would say something else.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Literal

from knowledge.answering.folding import asks, fold
from knowledge.ingestion.sentences import limits_previous
from knowledge.retrieval.passage import Passage

Kind = Literal["heading", "row", "item", "lead_in", "sentence"]

_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_TABLE_RULE = re.compile(r"-{2,}")
_ROW = re.compile(r"\s*\|.*\||[^|\n]+\|[^|\n]+\|")
_ITEM = re.compile(
    r"\s*(?:[-*+•·▪◦●]\s|\d{1,3}[.)）、](?!\d)|[(（](?:\d{1,3}|[一二三四五六七八九十]{1,4}|[a-zA-Z])[)）]|[一二三四五六七八九十]{1,4}、|[a-z][.)]\s)"
)
_ORDERED = re.compile(r"\s*\d{1,3}[.)）、]")
_LEADS = re.compile(r"[：:]\s*[*_]*$")


@dataclass(frozen=True)
class Units:
    """The units of one passage by their position in `passage.sentences`."""

    passage: Passage

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Slice every unit out of the passage, verbatim."""
        return tuple(self.passage.sentence_text(sentence) for sentence in self.passage.sentences)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Say what each unit is."""
        return tuple(_kind(text) for text in self.texts)

    def is_statement(self, position: int) -> bool:
        """Tell whether a unit may be chosen for what it says by itself."""
        is_said = self.kinds[position] != "heading" and not self._is_header(position)
        return is_said and not asks(fold(self.texts[position]))

    def is_step(self, position: int) -> bool:
        """Tell whether a unit is one of numbered steps."""
        return self.kinds[position] == "item" and _ORDERED.match(self.texts[position]) is not None

    def said(self, position: int) -> str:
        """Give what a unit says, a row of a table with its header."""
        header = self._lead_of(position) if self.kinds[position] == "row" else None
        return self.texts[position] if header is None else f"{self.texts[header]}\n{self.texts[position]}"

    def companions(self, position: int) -> frozenset[int]:
        """Give the positions that must be quoted together with a unit, itself included."""
        together = {position}
        if limits_previous(self.texts[position]) and position:
            together.add(position - 1)
        lead = self._lead_of(min(together))
        if lead is not None:
            together.add(lead)
        return frozenset(limited for each in together for limited in (each, *self._limits_after(each)))

    def list_around(self, position: int) -> tuple[int, ...]:
        """Give the items of the list that a unit leads in or belongs to, in order; empty when there is none."""
        start = position + 1 if self.kinds[position] == "lead_in" else position
        if start >= len(self.texts) or self.kinds[start] != "item":
            return ()
        first = start
        while first > 0 and self.kinds[first - 1] == "item":
            first -= 1
        last = start
        while last + 1 < len(self.texts) and self.kinds[last + 1] == "item":
            last += 1
        return tuple(range(first, last + 1))

    def table_around(self, position: int) -> tuple[int, ...]:
        """Give the rows of the table that a row belongs to, in order, without the header; empty when it has none."""
        header = self._lead_of(position) if self.kinds[position] == "row" else None
        if header is None:
            return ()
        rest = range(header + 1, len(self.texts))
        return tuple(takewhile(lambda at: self.kinds[at] == "row" and not self._is_header(at), rest))

    def _limits_after(self, position: int) -> range:
        last = position
        while last + 1 < len(self.texts) and limits_previous(self.texts[last + 1]):
            last += 1
        return range(position + 1, last + 1)

    def _is_header(self, position: int) -> bool:
        """Tell a header by the line of dashes below it: a table may also begin in an earlier passage."""
        if self.kinds[position] != "row" or position + 1 >= len(self.kinds) or self.kinds[position + 1] != "row":
            return False
        here, below = self.passage.sentences[position], self.passage.sentences[position + 1]
        return _TABLE_RULE.search(self.passage.text, here.end, below.start) is not None

    def _lead_of(self, position: int) -> int | None:
        kind = self.kinds[position]
        if kind == "row":
            return next((at for at in range(position, -1, -1) if self._is_header(at)), None)
        if kind != "item":
            return None
        before = next((at for at in range(position - 1, -1, -1) if self.kinds[at] != "item"), None)
        return before if before is not None and self.kinds[before] == "lead_in" else None


def _kind(text: str) -> Kind:
    if _HEADING.match(text):
        return "heading"
    if _ROW.match(text):
        return "row"
    if _LEADS.search(text):
        return "lead_in"
    return "item" if _ITEM.match(text) else "sentence"
