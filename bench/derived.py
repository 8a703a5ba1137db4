"""Derive questions about real policies from the policies themselves; no weight was ever read off the golden questions.

Claims that people wrote about a policy are asked of all policies of that company. English headings that stand beside
their Chinese translations are asked of the Chinese pages. Headings are asked of sections that were parted from them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from bench.installation import TODAY
from knowledge.evaluation.scoring import overlaps
from knowledge.ingestion.front_matter import split_front_matter
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.manifest import Row
from knowledge.ingestion.splitting import split_passages
from knowledge.retrieval.passage import Passage
from youju.corpora import read_library
from youju.manifest import rows_of

# Scopes of the golden set by the beginning of their documents' ids: claims are asked where golden questions are.
SCOPES: Final[Mapping[str, str]] = {
    "basecamp/": "37signals",
    "github/": "github",
    "tau2/airline/": "airline",
    "tau2/retail/": "retail",
    "tau2/telecom/": "telecom",
    "cn-law/": "cn-law",
    "msft-support-zh/": "microsoft",
    "msft-partner-zh/": "microsoft",
}
PARTED: Final[Mapping[str, tuple[str, ...]]] = {
    "headings_en": ("37signals", "github"),
    "headings_zh": ("microsoft",),
}
# A title that says nothing, so that only the text of a section can find it.
_NEUTRAL: Final[Mapping[str, str]] = {"headings_en": "Page", "headings_zh": "页面"}
_ANCHORED: Final = re.compile(r'^#+ <a name="([^"]+)"></a>(.+?)\s*$', re.MULTILINE)
_COUNTED: Final = re.compile(r"-\d+$")
_NUMBERED: Final = re.compile(r"^[\dA-Z]{1,3}(?:\.[\dA-Z]{1,3})*\.?\s+")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_FEWEST_WORDS: Final = 3
_FEWEST_CHARACTERS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A place that answers: a document's revision, and what stands there or heads it."""

    document: str
    revision: str
    quote: str | None = None
    heading: str | None = None

    def holds(self, passage: Passage) -> bool:
        """Tell whether a passage is of that place."""
        if (passage.document, passage.revision) != (self.document, self.revision):
            return False
        if self.heading is not None:
            return self.heading in passage.heading_path
        return self.quote is None or overlaps(self.quote, passage.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question to a tenant, and what answers it. `group` is what it is counted with."""

    tenant: str
    group: str
    question: str
    gold: tuple[Gold, ...]


def claims(data: Path) -> list[Probe]:
    """Ask for the passages that claims cite, in the language of the claim."""
    rows = {row.path: row for row in rows_of(data / "corpora" / "manifest.jsonl")}
    lines = (data / "claims" / "paraphrased.jsonl").read_text(encoding="utf-8").splitlines()
    return [probe for line in lines if (probe := _claim(json.loads(line), rows)) is not None]


def anchors(data: Path) -> list[Probe]:
    """Ask the English headings that Chinese pages keep as the names of their sections."""
    places: defaultdict[str, list[Gold]] = defaultdict(list)
    for row in _current(data, ("microsoft",)):
        for name, heading in _ANCHORED.findall((data / row.path).read_text(encoding="utf-8")):
            question = _COUNTED.sub("", name).replace("-", " ").strip()
            places[question].append(Gold(document=row.doc_id, revision=str(row.version), heading=heading))
    return [
        Probe(tenant="microsoft", group="headings_en_to_zh", question=question, gold=tuple(gold))
        for question, gold in places.items()
        if _is_question(question)
    ]


def parted(data: Path, name: str) -> tuple[list[SourceFile], list[Probe]]:
    """Give sections as documents without their headings, and the headings as questions to them."""
    files: list[SourceFile] = []
    places: defaultdict[str, list[Gold]] = defaultdict(list)
    for number, (heading, body) in enumerate(_sections(data, PARTED[name])):
        slug = f"section-{number:04}"
        header: dict[str, Any] = {"slug": slug, "label": "1", "title": _NEUTRAL[name], "language": name[-2:]}
        files.append(SourceFile(path=f"{slug}.md", content=body.encode(), header=header))
        places[heading].append(Gold(document=slug, revision="1"))
    asked = {heading: gold for heading, gold in places.items() if _is_question(heading)}
    return files, [
        Probe(tenant=name, group=name, question=heading, gold=tuple(gold)) for heading, gold in asked.items()
    ]


def _claim(told: dict[str, Any], rows: Mapping[str, Row]) -> Probe | None:  # a data file's row
    if not isinstance(told["path"], str) or (scope := _scope_of(told["doc_id"])) is None:
        return None
    row = rows[told["path"]]
    gold = tuple(Gold(document=row.doc_id, revision=str(row.version), quote=quote) for quote in told["quotes"])
    group = f"claims_{told['lang'].replace('-', '_to_')}"
    return Probe(tenant=scope, group=group, question=told["claim"], gold=gold)


def _current(data: Path, scopes: Iterable[str]) -> list[Row]:
    manifest = data / "corpora" / "manifest.jsonl"
    gone = read_library(manifest, today=TODAY).not_in_force
    wanted = frozenset(scopes)
    return [
        row
        for row in rows_of(manifest)
        if _scope_of(row.doc_id) in wanted and (row.title, str(row.version)) not in gone
    ]


def _sections(data: Path, scopes: Iterable[str]) -> Iterator[tuple[str, str]]:
    for row in _current(data, scopes):
        _, source = split_front_matter((data / row.path).read_text(encoding="utf-8"))
        drafts = split_passages(source, title=row.title)
        for path, members in groupby(drafts, key=lambda each: each.heading_path):
            body = "\n\n".join(each.text for each in members)
            heading = path[-1] if path else row.title
            if len(path) > 1 or row.lang == "zh":
                yield _NUMBERED.sub("", heading), body


def _is_question(heading: str) -> bool:
    if _HAN.search(heading):
        return len(heading) >= _FEWEST_CHARACTERS
    return len(heading.split()) >= _FEWEST_WORDS


def _scope_of(doc_id: str | list[str]) -> str | None:
    if not isinstance(doc_id, str):
        return None
    return next((scope for start, scope in SCOPES.items() if doc_id.startswith(start)), None)
