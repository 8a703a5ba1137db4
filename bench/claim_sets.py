"""Read the claim sets: those of the shared data, our own beside the tests, and our own over passages of the corpora.

The sets over the corpora hold our claims and where their quotes stand; the quotes are read from the shared data.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, TypeAdapter

from knowledge.validation.words import is_chinese

SETS: Final = Path(__file__).resolve().parents[2] / "shared" / "data" / "claims"
NAMES: Final = ("derived_perturbed", "stale_versions", "paraphrased", "fever_symmetric")
_REWORDINGS: Final = Path(__file__).resolve().parents[1] / "services" / "knowledge" / "tests" / "validation"
_OVER_CORPORA: Final = Path(__file__).with_name("rewordings")
_OWN: Final = {
    path.stem: path
    for path in (*sorted(_REWORDINGS.glob("rewordings_*.yaml")), *sorted(_OVER_CORPORA.glob("corpora_*.yaml")))
}
OWN_NAMES: Final = tuple(_OWN)
NEVER_LISTED: Final = tuple(name for name in OWN_NAMES if name.endswith("_counted"))


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled claim of a set."""

    row_id: str
    claim: str
    quotes: tuple[str, ...]
    is_supported: bool
    kind: str
    language: str


class Stretch(BaseModel):
    """A stretch of a corpus file that is quoted, in characters."""

    path: str
    start: int
    end: int


class Rule(BaseModel):
    """A quote of our own, or stretches of the corpora, with what follows from it and what does not, by the kind of change."""

    quote: str = ""
    cited: list[Stretch] = []
    digest: str = ""
    """The first twelve digits of the SHA-256 of what is cited: other texts would make the labels wrong."""
    follows: list[str] = []
    changed: list[tuple[str, str]] = []


def read_rows(name: str, *, sets: Path, half: str) -> Iterator[Row]:
    """Yield the rows of a set; a half is chosen by a hash of their ids."""
    everything = _own_rows(name, sets=sets) if name in _OWN else _shared_rows(sets / f"{name}.jsonl")
    for row in everything:
        is_even = hashlib.sha256(row.row_id.encode()).digest()[0] % 2 == 0
        if half == "all" or is_even == (half == "even"):
            yield row


def digest_of(quotes: tuple[str, ...]) -> str:
    """Give what tells whether quoted texts are still the same."""
    return hashlib.sha256("\n".join(quotes).encode()).hexdigest()[:12]


def _own_rows(name: str, *, sets: Path) -> Iterator[Row]:
    rules = TypeAdapter(list[Rule]).validate_python(yaml.safe_load(_OWN[name].read_text(encoding="utf-8")))
    for number, rule in enumerate(rules):
        quotes = (rule.quote,) if rule.quote else _quoted(rule, sets=sets)
        for kind, claim in (*(("supported", claim) for claim in rule.follows), *rule.changed):
            yield Row(
                row_id=f"{name}-{number}",
                claim=claim,
                quotes=quotes,
                is_supported=kind == "supported",
                kind=kind,
                language=_language(claim, quotes[0]),
            )


def _quoted(rule: Rule, *, sets: Path) -> tuple[str, ...]:
    quotes = tuple((sets.parent / each.path).read_text(encoding="utf-8")[each.start : each.end] for each in rule.cited)
    if digest_of(quotes) != rule.digest:
        message = f"The corpora differ from those the claims were written for: {rule.cited[0].path}"
        raise ValueError(message)
    return quotes


def _language(claim: str, quote: str) -> str:
    names = tuple("zh" if is_chinese(text) else "en" for text in (claim, quote))
    return "-".join(dict.fromkeys(names))


def _shared_rows(path: Path) -> Iterator[Row]:
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        is_supported = fields["label"] == "supported"
        yield Row(
            row_id=fields["id"],
            claim=fields["claim"],
            quotes=tuple(fields.get("quotes") or [fields["source"]]),
            is_supported=is_supported,
            kind="supported" if is_supported else _kind(fields),
            language=fields["lang"],
        )


def _kind(fields: dict[str, str]) -> str:
    spans = fields.get("spans")
    changed = json.loads(json.dumps(spans))[0]["type"] if spans else None
    return str(changed or fields.get("fault") or fields["label"])
