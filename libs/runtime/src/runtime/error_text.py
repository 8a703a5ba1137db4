"""Write errors down without the values they were about.

Postgres quotes the row that broke a rule (`DETAIL`), the text that is no number, the parameter it read last; pydantic
quotes its input. Their class, their code and the names of our own tables and constraints say enough.
"""

import traceback
from collections.abc import Iterator
from typing import Final, cast

import psycopg
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError, StatementError

_CAUSED: Final = "\nThe above exception was the direct cause of the following exception:\n\n"
_MEANWHILE: Final = "\nDuring handling of the above exception, another exception occurred:\n\n"


def told(error: BaseException) -> str:
    """Say what an error is: a driver's without its values, any other as it says itself."""
    match error:
        case psycopg.Error():
            return _told_by_postgres(error)
        case DBAPIError() | StatementError():
            return f"{_name(error)}: {told(error.orig)}" if error.orig is not None else _name(error)
        case ValidationError():
            kinds = ", ".join(sorted({each["type"] for each in error.errors(include_input=False)}))
            return f"{_name(error)}: {error.title}: {kinds}"
        case _:
            return f"{_name(error)}: {error}" if str(error) else _name(error)


def formatted(error: BaseException) -> str:
    """Write an error with its frames and what led to it, as Python does, with every message `told`."""
    return "".join(_parts(error, set())).rstrip("\n")


def without_values(text: str, error: BaseException) -> str:
    """Replace what a library has quoted of an error, or of what led to it, in its own message."""
    for each in _chain(error):
        for quoted in {repr(each), str(each)}:
            if quoted and is_quoting(each):
                text = text.replace(quoted, told(each))
    return text


def is_quoting(error: BaseException) -> bool:
    """Say whether an error is of the kinds that quote values."""
    return isinstance(error, (psycopg.Error, StatementError, ValidationError))


def _parts(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    if error.__cause__ is not None and id(error.__cause__) not in seen:
        yield from (*_parts(error.__cause__, seen), _CAUSED)
    elif error.__context__ is not None and not error.__suppress_context__ and id(error.__context__) not in seen:
        yield from (*_parts(error.__context__, seen), _MEANWHILE)
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{told(error)}\n"
    if isinstance(error, BaseExceptionGroup):
        members = cast("tuple[BaseException, ...]", error.exceptions)
        for number, each in enumerate(members, 1):
            yield f"  --- {number} of {len(members)} ---\n"
            yield from _parts(each, seen)


def _chain(error: BaseException) -> Iterator[BaseException]:
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [other for other in (each.__cause__, each.__context__, getattr(each, "orig", None)) if other]


def _told_by_postgres(error: psycopg.Error) -> str:
    found = error.diag
    names = {"table": found.table_name, "column": found.column_name, "constraint": found.constraint_name}
    facts = [error.sqlstate or "", *(f"{name} {value}" for name, value in names.items() if value)]
    return f"{_name(error)}: {', '.join(filter(None, facts))}".removesuffix(": ")


def _name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
