"""What is wrong with an import: which file, which field, in one sentence."""

from dataclasses import dataclass
from enum import StrEnum


class ProblemCode(StrEnum):
    """Why a file cannot be imported: stable, for scripts."""

    TOO_LARGE = "TOO_LARGE"
    EMPTY = "EMPTY"
    UNKNOWN_FORMAT = "UNKNOWN_FORMAT"
    UNKNOWN_ENCODING = "UNKNOWN_ENCODING"
    DAMAGED = "DAMAGED"
    UNREADABLE = "UNREADABLE"
    ENCRYPTED = "ENCRYPTED"
    NO_TEXT_LAYER = "NO_TEXT_LAYER"
    CONTROL_CHARACTER = "CONTROL_CHARACTER"
    FRONT_MATTER = "FRONT_MATTER"
    MISSING = "MISSING"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    INVALID = "INVALID"
    IMPOSSIBLE_DATES = "IMPOSSIBLE_DATES"
    OVERLAPPING_DATES = "OVERLAPPING_DATES"
    DUPLICATE = "DUPLICATE"
    UNKNOWN_LABEL = "UNKNOWN_LABEL"
    NOTHING_TO_IMPORT = "NOTHING_TO_IMPORT"
    LEFT_OUT = "LEFT_OUT"
    MACROS = "MACROS"
    UNSAFE_PATH = "UNSAFE_PATH"
    LINK = "LINK"
    NESTED_ARCHIVE = "NESTED_ARCHIVE"
    ARCHIVE_BOMB = "ARCHIVE_BOMB"
    TOO_MANY = "TOO_MANY"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an import."""

    path: str
    field: str
    code: ProblemCode
    sentence: str
