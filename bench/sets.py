"""Read the public question sets: passages as files to import, questions with the documents that answer them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from knowledge.ingestion.importing import SourceFile

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the documents that answer it."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Passages, each a document of its own, and questions about them. `texts` is what a peer is given of a passage."""

    name: str
    files: tuple[SourceFile, ...]
    texts: dict[str, str]
    questions: tuple[Question, ...]


def read_corpora(data: Path, sets: Sequence[str], *, most_questions: int = 0) -> Iterator[Corpus]:
    """Read sets by the names of their files; one with questions in two languages gives one corpus for each pair.

    Only questions that the set calls answerable are taken, at most so many, spread over the set; 0 takes all.
    """
    for name in sets:
        rows = [row for row in _rows(data / "qa" / f"{name}.jsonl") if row.get("answerable", True)]
        if "passage_id_zh" in rows[0]:
            yield from _across_languages(data, rows, most_questions)
        else:
            asked = [Question(row["question"], frozenset({row["passage_id"]})) for row in rows]
            yield _corpus(data, name, passages=name, questions=spread(asked, most_questions))


def spread(questions: Sequence[Question], most: int) -> tuple[Question, ...]:
    """Take at most so many, evenly spread; 0 takes all."""
    return spread_rows(questions, most)


def read_files(data: Path, name: str) -> tuple[SourceFile, ...]:
    """Give the passages of a set, each a file to import."""
    return tuple(_file(row) for row in _rows(data / "passages" / f"{name}.jsonl"))


def spread_rows(rows: Sequence[Row], most: int) -> tuple[Row, ...]:
    """Take at most so many rows, evenly spread; 0 takes all."""
    return tuple(rows[:: max(1, len(rows) // most)][:most] if most else rows)


def _across_languages(data: Path, rows: list[dict[str, Any]], most: int) -> Iterator[Corpus]:  # rows of a data file
    suffix = {"en": "", "zh": "_zh"}
    for asked, read in (("zh", "zh"), ("en", "en"), ("zh", "en")):
        questions = [
            Question(row[f"question{suffix[asked]}"], frozenset({row[f"passage_id{suffix[read]}"]})) for row in rows
        ]
        yield _corpus(data, f"xquad_{asked}_to_{read}", passages=f"xquad_{read}", questions=spread(questions, most))


def _corpus(data: Path, name: str, *, passages: str, questions: tuple[Question, ...]) -> Corpus:
    rows = _rows(data / "passages" / f"{passages}.jsonl")
    return Corpus(
        name=name,
        files=tuple(_file(row) for row in rows),
        texts={row["passage_id"]: f"{_title(row)}\n{row['text']}" for row in rows},
        questions=questions,
    )


def _file(row: dict[str, Any]) -> SourceFile:  # as above
    header = {
        "slug": row["passage_id"],
        "label": "1",
        "language": "en" if row["lang"] == "en" else "zh",
        "title": _title(row),
    }
    return SourceFile(path=f"{row['passage_id']}.md", content=row["text"].encode(), header=header)


def _title(row: dict[str, Any]) -> str:  # as above
    return row.get("title") or row["passage_id"]


def _rows(file: Path) -> list[dict[str, Any]]:  # as above
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
