"""Documents as staff see them: listed and withdrawn."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.documents import document, withdrawal
from knowledge.versions.version import (
    PublishedDocument,
)

_SEPARATOR: Final = ","  # a segment holds neither white space nor a comma

_DOCUMENTS: Final = text("""
    SELECT DISTINCT ON (document.slug) document.slug, revision.title, revision.label, revision.language,
           revision.owner, revision.area, audience.segments AS audience, revision.review_date,
           count(*) OVER (PARTITION BY document.slug) AS revisions, withdrawal.withdrawn_at
    FROM tenant_pointer
    JOIN version_revision ON version_revision.version = tenant_pointer.current_version
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    JOIN audience ON audience.id = revision.audience_id
    LEFT JOIN withdrawal ON withdrawal.document = revision.document
                        AND withdrawal.content_sha256 = revision.content_sha256
    WHERE document.slug > :after
    ORDER BY document.slug, revision.in_force_from DESC
    LIMIT :limit
""")

_WITHDRAW: Final = text("""
    INSERT INTO withdrawal (tenant, document, content_sha256, withdrawn_by)
    SELECT DISTINCT :tenant, revision.document, revision.content_sha256, :actor
    FROM document JOIN revision ON revision.document = document.id
    WHERE document.slug = :slug
    ON CONFLICT DO NOTHING
""")


async def list_documents(connection: AsyncConnection, *, after: str, limit: int) -> list[PublishedDocument]:
    """List the documents of the current version by slug, after one."""
    rows = await connection.execute(_DOCUMENTS, {"after": after, "limit": limit})
    return [_document(dict(row)) for row in rows.mappings()]


async def withdraw(connection: AsyncConnection, *, tenant: str, slug: str, actor: str) -> datetime | None:
    """Withdraw every text a document has ever had; a corrected text is a new one. Gone from the next question on.

    Repeat: the first time and actor stay. Gives the time, or None when there is no such document.
    """
    await connection.execute(_WITHDRAW, {"tenant": tenant, "slug": slug, "actor": actor})
    withdrawn = (
        select(func.max(withdrawal.c.withdrawn_at))
        .join(document, document.c.id == withdrawal.c.document)
        .where(document.c.slug == slug)
    )
    return (await connection.execute(withdrawn)).scalar_one()


def _document(fields: dict[str, Any]) -> PublishedDocument:  # columns of several types
    segments: str = fields.pop("audience")
    return PublishedDocument(**fields, audience=tuple(segments.split(_SEPARATOR)))
