"""Read and write golden files: one case a line."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from contracts.faults import reason_of
from knowledge.evaluation.golden import Golden, read_golden
from youju.material import read_text
from youju.trouble import Trouble


def read_questions(file: Path) -> tuple[Golden, ...]:
    """Read a golden file. Errors: Trouble naming line and field."""
    lines = enumerate(read_text(file).splitlines(), 1)
    questions = tuple(_question(file, number, line) for number, line in lines if line.strip())
    if not questions:
        raise Trouble(f"{file} holds no question.")
    return questions


def write_questions(file: Path, cases: Iterable[Golden]) -> int:
    """Write a golden file and say how many cases it holds. Errors: Trouble when it cannot be written."""
    lines = [f"{case.model_dump_json(exclude_defaults=True)}\n" for case in cases]
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as refused:
        raise Trouble(f"{file} cannot be written: {refused.strerror}.") from refused
    return len(lines)


def of_tenant(questions: tuple[Golden, ...], tenant: str) -> tuple[Golden, ...]:
    """Take the questions of a tenant's scope and those of none; all where the file knows no such scope."""
    if not any(each.scope == tenant for each in questions):
        return questions
    return tuple(each for each in questions if each.scope in {None, tenant})


def _question(file: Path, number: int, line: str) -> Golden:
    try:
        return read_golden(line)
    except ValidationError as malformed:
        first = malformed.errors()[0]
        field = ".".join(str(member) for member in first["loc"]) or "the line"
        raise Trouble(f"{file.name} line {number}: {field}: {reason_of(first)}.") from malformed
