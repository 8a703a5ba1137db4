"""Cursors and slugs as they come in: what no database could hold is nobody's."""

from uuid import UUID

from contracts.errors import InvalidRequestError
from contracts.ids import MalformedIdError, parsed
from knowledge.ingestion.characters import find_control
from knowledge.versions.document import RevisionNotFoundError
from knowledge.versions.version import DocumentNotFoundError


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
