"""Tells evidence and stale revisions apart from inside, where a citation's document and days are known."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from knowledge.evaluation.golden import Evidence, Golden
from knowledge.evaluation.observed import ObservedCitation
from knowledge.evaluation.scoring import overlaps

Days = tuple[date | None, date | None]
"""The first and the last day of a revision; None is an open side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseShelf:
    """Fulfils `Shelf` for one case. `days` holds those of every revision that may be cited, by slug and label."""

    golden: Golden
    as_of: date
    days: Mapping[tuple[str, str], Days]

    def is_of(self, citation: ObservedCitation, evidence: Evidence) -> bool:
        """See `Shelf.is_of`."""
        return citation.document == evidence.doc_id and evidence.is_version(citation.revision)

    def is_stale(self, citation: ObservedCitation) -> bool:
        """See `Shelf.is_stale`: by its days, or because the case says so of the quote."""
        begins, ends = self.days.get((citation.document, citation.revision), (None, None))
        if self.as_of < (begins or date.min) or (ends or date.max) < self.as_of:
            return True
        named = (each for each in self.golden.stale_evidence if self.is_of(citation, each))
        return any(overlaps(each.quote, citation.quote) for each in named)
