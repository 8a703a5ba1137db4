"""Reads JSON as its author wrote it down: keys above what they hold, lists as lists, records under their names."""

import json
from typing import Final

from pydantic import JsonValue

from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.outline import Outline
from knowledge.ingestion.problems import ProblemCode

_DEEPEST: Final = 40
_NAMES: Final = ("title", "name", "question", "heading", "标题", "名称", "问题")
_LONGEST_NAME: Final = 200


def read_json(content: bytes) -> str:
    """Give every text, number and truth value with its key.

    Errors: UnreadableFileError when it is no JSON, says a key twice, or nests too deeply.
    """
    text = decode_text(content)
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_without_repeats,
            # Numbers stay as they were written: 19.90 is no 19.9.
            parse_float=str,
            parse_int=str,
            parse_constant=_no_number,
        )
    except (json.JSONDecodeError, RecursionError) as broken:
        place = f" at line {broken.lineno}" if isinstance(broken, json.JSONDecodeError) else ""
        raise UnreadableFileError(ProblemCode.DAMAGED, f"The file is not JSON{place}.") from broken
    outline = Outline()
    _add(outline, value, 1)
    return outline.written()


def _add(outline: Outline, value: JsonValue, level: int) -> None:
    if level > _DEEPEST:
        raise UnreadableFileError(ProblemCode.DAMAGED, f"The file nests more than {_DEEPEST} values into each other.")
    if isinstance(value, dict):
        _add_record(outline, value, level)
    elif isinstance(value, list):
        _add_list(outline, value, level)
    else:
        outline.add_text(_said(value))


def _add_record(outline: Outline, record: dict[str, JsonValue], level: int) -> None:
    """Add short values and lists first, so that nothing slips under the heading of a nested record."""
    for key, value in record.items():
        if not isinstance(value, dict | list) and _said(value):
            outline.add_text(f"{key}: {_said(value)}")
    for key, value in record.items():
        if isinstance(value, list) and value and not _holds_records(value):
            outline.add_text(f"{key}:")
            _add_list(outline, value, level)
    for key, value in record.items():
        if isinstance(value, dict) or (isinstance(value, list) and _holds_records(value)):
            outline.add_heading(level, key)
            _add(outline, value, level + 1)


def _add_list(outline: Outline, values: list[JsonValue], level: int) -> None:
    for value in values:
        if not isinstance(value, dict | list):
            outline.open_item("-")
            outline.add_text(_said(value))
            outline.close_item()
    for place, value in enumerate(values, 1):
        if isinstance(value, dict):
            _add_numbered(outline, value, level, place=place)
        elif isinstance(value, list):
            _add(outline, value, level + 1)


def _add_numbered(outline: Outline, record: dict[str, JsonValue], level: int, *, place: int) -> None:
    """Add a record of a list under its title, name or question, else under its place in the list."""
    names = ((key, record[key]) for key in _NAMES if key in record)
    key, name = next(((key, said) for key, said in names if isinstance(said, str) and said.strip()), ("", ""))
    if not 0 < len(name) <= _LONGEST_NAME:
        key, name = "", str(place)
    outline.add_heading(level, name)
    _add(outline, {each: value for each, value in record.items() if each != key}, level + 1)


def _holds_records(values: list[JsonValue]) -> bool:
    return any(isinstance(each, dict | list) for each in values)


def _said(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _no_number(said: str) -> str:
    raise UnreadableFileError(ProblemCode.DAMAGED, f"The file holds {said}, which is no value of JSON.")


def _without_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise UnreadableFileError(ProblemCode.DAMAGED, "The file says a key of one record more than once.")
    return record
