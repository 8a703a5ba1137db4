"""Cursors and slugs as they come in: what no database could hold is nobody's."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, TypeVar
from uuid import UUID

from pydantic import BaseModel, StringConstraints

from contracts.errors import InvalidRequestError
from contracts.ids import MalformedIdError, parsed
from knowledge.ingestion.characters import find_control
from knowledge.versions.document import RevisionNotFoundError
from knowledge.versions.version import DocumentNotFoundError

_Place = TypeVar("_Place", bound=BaseModel)

NOT_BLANK: Final = StringConstraints(strip_whitespace=True, min_length=1)
"""What people write in a body says something, and the space around it nothing."""


def cursor_of(place: BaseModel) -> str:
    """Spell where a page ended, for whoever asks for the next one."""
    return urlsafe_b64encode(place.model_dump_json().encode()).decode()


def read_cursor(kind: type[_Place], cursor: str) -> _Place:
    """Read where a page ended. Errors: InvalidRequestError for a cursor that we cannot have given out."""
    try:
        return kind.model_validate_json(urlsafe_b64decode(cursor.encode("ascii")))
    except (binascii.Error, ValueError) as malformed:
        raise InvalidRequestError("cursor: not one of ours.") from malformed


def after_cursor(cursor: str) -> str:
    """Give a cursor that is a slug. Errors: InvalidRequestError for one we cannot have given out."""
    return storable("cursor", cursor)


def storable(name: str, value: str) -> str:
    """Give a parameter that a stored text may equal. Errors: InvalidRequestError naming the parameter."""
    if find_control(value) is not None:
        raise InvalidRequestError(f"{name}: not one of ours.")
    return value


def refuse_control(value: str) -> str:
    """Give a text of a body that can be stored. Errors: ValueError, which pydantic tells with the field."""
    if control := find_control(value):
        raise ValueError(f"it holds the control character {control}")
    return value


def known_slug(slug: str) -> str:
    """Give a slug that may exist. Errors: DocumentNotFoundError for one that never can."""
    if find_control(slug) is not None:
        raise DocumentNotFoundError
    return slug


def revision_id(text: str) -> UUID:
    """Read the id of a revision. Errors: RevisionNotFoundError for anything else."""
    try:
        return parsed("rev", text)
    except MalformedIdError as malformed:
        raise RevisionNotFoundError from malformed
