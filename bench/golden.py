"""Search for the evidence of golden questions over whole corpora, history included."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.installation import TODAY, Knowledge
from knowledge.evaluation.golden import Golden
from knowledge.evaluation.scoring import Library, overlaps
from knowledge.ingestion.importing import SourceFile
from knowledge.retrieval.passage import Passage
from youju.corpora import gather_scope, read_library
from youju.evaluating import scopes_of
from youju.golden_files import read_questions
from youju.material import Material

_SHOWN: Final = 3
_ACROSS: Final = "cross_language"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the first passages of a golden question hold. `group` is its language, or `cross_language`."""

    question_id: str
    group: str
    has_evidence: bool
    superseded: int


async def import_scopes(opened: Knowledge, data: Path) -> tuple[Golden, ...]:
    """Import the documents of every scope for a tenant of its own, and give the questions about them."""
    questions = read_questions(data / "golden" / "golden.jsonl")
    for scope in scopes_of(questions):
        await opened.importer.publish(scope, files_of_scope(data, scope))
    return questions


def files_of_scope(data: Path, scope: str) -> list[SourceFile]:
    """Give the documents of a scope, history included."""
    return _files(gather_scope(scope, data / "corpora" / "manifest.jsonl"))


async def measure_golden(opened: Knowledge, data: Path) -> list[Found]:
    """Import the documents of every scope and search for what the questions ask."""
    questions = await import_scopes(opened, data)
    library = read_library(data / "corpora" / "manifest.jsonl", today=TODAY)
    asked = [each for each in questions if each.evidence or each.stale_evidence]
    anywhere = scopes_of(questions)[0]
    return [await _search(opened, each, scope=each.scope or anywhere, library=library) for each in asked]


async def _search(opened: Knowledge, golden: Golden, *, scope: str, library: Library) -> Found:
    result = await opened.searcher.search(tenant=scope, segments=(), question=golden.question, as_of=TODAY)
    shown = [each.passage for each in result.context.found[:_SHOWN]]
    return Found(
        question_id=golden.id,
        group=_ACROSS if golden.category == _ACROSS else golden.lang,
        has_evidence=_has_evidence(golden, shown, library),
        superseded=sum((each.title, each.revision) in library.not_in_force for each in shown),
    )


def _has_evidence(golden: Golden, shown: Sequence[Passage], library: Library) -> bool:
    return any(
        (passage.title, passage.revision) == library.revisions.get((evidence.doc_id, int(evidence.version or 0)))
        and overlaps(evidence.quote, passage.text)
        for evidence in golden.evidence
        for passage in shown
    )


def _files(material: Material) -> list[SourceFile]:
    return [
        SourceFile(
            path=each.path,
            content=each.place.read_bytes(),
            header=each.header.model_dump(mode="json", exclude_none=True) if each.header is not None else None,
        )
        for each in material.files
    ]
