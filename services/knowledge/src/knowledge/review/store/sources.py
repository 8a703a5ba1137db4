"""Look evidence up in the texts of a document."""

from typing import Any, Final

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.review.evidence import EvidenceNotFoundError, NamedEvidence
from knowledge.tables.documents import document, revision
from knowledge.tables.index import passage
from knowledge.validation.folding import fold

_NEWEST: Final = (revision.c.in_force_from.desc(), revision.c.created_at.desc())


async def quote_of(connection: AsyncConnection, named: NamedEvidence) -> str:
    """Give the words that a good answer would quote: those named, or those of the passage under the heading.

    The newest text that holds them counts. Errors: EvidenceNotFoundError.
    """
    found = await (_quoted(connection, named) if named.quote is not None else _headed(connection, named))
    if found is None:
        raise EvidenceNotFoundError(named.slug)
    return found


async def _quoted(connection: AsyncConnection, named: NamedEvidence) -> str | None:
    quote = named.quote or ""
    sources = await connection.execute(_of(named, select(revision.c.source)).order_by(*_NEWEST))
    return quote if any(fold(quote) in fold(source) for source in sources.scalars()) else None


async def _headed(connection: AsyncConnection, named: NamedEvidence) -> str | None:
    passages = _of(named, select(passage.c.heading_path, passage.c.text)).join(
        passage, passage.c.revision == revision.c.id
    )
    for row in await connection.execute(passages.order_by(*_NEWEST, passage.c.ordinal)):
        if named.heading in (*row.heading_path[-1:], " > ".join(row.heading_path)):
            return row.text
    return None


def _of(named: NamedEvidence, selected: Select[Any]) -> Select[Any]:  # columns of several types
    wanted = selected.select_from(document).join(revision, revision.c.document == document.c.id)
    wanted = wanted.where(document.c.slug == named.slug)
    return wanted if named.label is None else wanted.where(revision.c.label == named.label)
