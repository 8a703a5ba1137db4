"""Documents as staff see them: listed, read with all revisions, withdrawn and brought back, due."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import RowMapping, TextClause, delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.documents import document, revision, withdrawal
from knowledge.versions.acts import Acting, document_subject
from knowledge.versions.agenda import Rule
from knowledge.versions.differences import Sides
from knowledge.versions.document import DocumentRevision, RevisionNotFoundError
from knowledge.versions.store.audit import record_act
from knowledge.versions.version import DocumentNotFoundError, PublishedDocument

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

_REVISIONS: Final = """
    SELECT revision.id AS revision_id, document.slug, revision.label, revision.title, revision.language,
           revision.owner, revision.area, audience.segments AS audience, revision.tags, revision.priority,
           revision.review_date, revision.effective_from, revision.effective_to, revision.declared_to,
           revision.superseded_by, revision.applies_to, revision.requires_facts, revision.decision, revision.public,
           revision.source_url, revision.path, revision.content_sha256, revision.created_at,
           ARRAY(SELECT version_revision.version FROM version_revision
                 WHERE version_revision.revision = revision.id ORDER BY version_revision.version) AS versions,
           EXISTS (SELECT FROM tenant_pointer JOIN version_revision
                       ON version_revision.version = tenant_pointer.current_version
                   WHERE version_revision.revision = revision.id) AS is_current,
           withdrawal.withdrawn_at
    FROM revision
    JOIN document ON document.id = revision.document
    JOIN audience ON audience.id = revision.audience_id
    LEFT JOIN withdrawal ON withdrawal.document = revision.document
                        AND withdrawal.content_sha256 = revision.content_sha256
"""
_OF_DOCUMENT: Final = text(f"{_REVISIONS} WHERE document.slug = :slug ORDER BY revision.in_force_from, revision.id")
_OF_ID: Final = text(f"{_REVISIONS} WHERE revision.id = :id")

_DIFFERING: Final = """
    SELECT revision.id, revision.document,
           bool_or(member.version = :before) AS was_there, bool_or(member.version = :after) AS is_there
    FROM version_revision AS member JOIN revision ON revision.id = member.revision
    WHERE member.version IN (:before, :after)
    GROUP BY revision.id, revision.document HAVING count(*) = 1
"""
_DIFFERENCES: Final = text(f"""
    WITH differing AS ({_DIFFERING}),
    listed AS (
        SELECT document.id, document.slug FROM document
        WHERE document.slug > :after_slug AND document.id IN (SELECT differing.document FROM differing)
        ORDER BY document.slug LIMIT :limit)
    SELECT shown.*, differing.was_there,
           EXISTS (SELECT FROM version_revision AS member JOIN revision ON revision.id = member.revision
                   WHERE member.version = :before AND revision.document = listed.id) AS document_was,
           EXISTS (SELECT FROM version_revision AS member JOIN revision ON revision.id = member.revision
                   WHERE member.version = :after AND revision.document = listed.id) AS document_is
    FROM listed
    JOIN differing ON differing.document = listed.id
    JOIN ({_REVISIONS}) AS shown ON shown.revision_id = differing.id
    ORDER BY listed.slug, shown.label
""")  # noqa: S608 - only constants of this module

# The days of every rule that can be on an agenda; which list it belongs to is decided where it can be tested.
_RULES: Final = text("""
    SELECT document.slug, revision.label, revision.title, revision.owner, revision.area, revision.review_date,
           revision.effective_from, revision.effective_to,
           (SELECT follower.label FROM version_revision AS member JOIN revision AS follower
                ON follower.id = member.revision
            WHERE member.version = tenant_pointer.current_version AND follower.document = revision.document
              AND follower.effective_from = revision.effective_to + 1 LIMIT 1) AS follower
    FROM tenant_pointer
    JOIN version_revision ON version_revision.version = tenant_pointer.current_version
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    WHERE revision.in_force_until > :today
      AND (revision.review_date < :today OR revision.effective_to <= :horizon
           OR (revision.effective_from > :today AND revision.effective_from <= :horizon))
      AND NOT EXISTS (SELECT FROM withdrawal WHERE withdrawal.document = revision.document
                      AND withdrawal.content_sha256 = revision.content_sha256)
    ORDER BY least(revision.review_date, revision.effective_to, revision.effective_from), document.slug
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
    return [_listed(row) for row in rows.mappings()]


async def document_revisions(connection: AsyncConnection, slug: str) -> list[DocumentRevision]:
    """List all revisions a document ever had, in the order of their first days. Errors: DocumentNotFoundError."""
    found = await _revisions(connection, _OF_DOCUMENT, {"slug": slug})
    if not found:
        raise DocumentNotFoundError
    return found


async def find_revision(connection: AsyncConnection, revision_id: UUID) -> DocumentRevision:
    """Give one revision. Errors: RevisionNotFoundError."""
    found = await _revisions(connection, _OF_ID, {"id": revision_id})
    if not found:
        raise RevisionNotFoundError
    return found[0]


async def revision_text(connection: AsyncConnection, revision_id: UUID) -> str:
    """Give the masked normal form of a revision. Errors: RevisionNotFoundError."""
    told = await connection.execute(select(revision.c.source).where(revision.c.id == revision_id))
    source = told.scalar_one_or_none()
    if source is None:
        raise RevisionNotFoundError
    return source


async def differing_documents(
    connection: AsyncConnection, *, before: int, after: int, after_slug: str, limit: int
) -> dict[str, Sides]:
    """Give documents that differ between two versions by slug, after one, with what only one version holds."""
    asked = {"before": before, "after": after, "after_slug": after_slug, "limit": limit}
    grouped: dict[str, list[RowMapping]] = {}
    for row in (await connection.execute(_DIFFERENCES, asked)).mappings():
        grouped.setdefault(row["slug"], []).append(row)
    return {slug: _sides(rows) for slug, rows in grouped.items()}


async def due_rules(connection: AsyncConnection, *, today: date, days: int, limit: int) -> list[Rule]:
    """List rules of the current version that may be overdue, begin or end within some days, the most pressing first."""
    asked = {"today": today, "horizon": today + timedelta(days=days), "limit": limit}
    return [Rule(**row) for row in (await connection.execute(_RULES, asked)).mappings()]


async def withdraw(connection: AsyncConnection, acting: Acting, *, slug: str) -> datetime:
    """Withdraw every text a document has ever had; a corrected text is a new one. Gone from the next question on.

    Repeat: the first time and actor stay. Gives the time. Errors: DocumentNotFoundError.
    """
    asked = {"tenant": acting.tenant, "slug": slug, "actor": acting.actor}
    added = (await connection.execute(_WITHDRAW, asked)).rowcount
    if added:
        told = {"texts": added}
        await record_act(connection, acting, "DOCUMENT_WITHDRAWN", subject=document_subject(slug), detail=told)
    withdrawn = (
        select(func.max(withdrawal.c.withdrawn_at))
        .join(document, document.c.id == withdrawal.c.document)
        .where(document.c.slug == slug)
    )
    withdrawn_at = (await connection.execute(withdrawn)).scalar_one()
    if withdrawn_at is None:
        raise DocumentNotFoundError
    return withdrawn_at


async def restore(connection: AsyncConnection, acting: Acting, *, slug: str) -> None:
    """Undo the withdrawal of a document: its texts answer again where the current version holds them.

    Repeat: nothing is withdrawn any more, so nothing changes. Errors: DocumentNotFoundError.
    """
    document_id = select(document.c.id).where(document.c.slug == slug)
    known = (await connection.execute(document_id)).scalar_one_or_none()
    if known is None:
        raise DocumentNotFoundError
    undone = (await connection.execute(delete(withdrawal).where(withdrawal.c.document == known))).rowcount
    if undone:
        told = {"texts": undone}
        await record_act(connection, acting, "DOCUMENT_RESTORED", subject=document_subject(slug), detail=told)


async def _revisions(
    connection: AsyncConnection, statement: TextClause, asked: Mapping[str, Any]
) -> list[DocumentRevision]:  # statement parameters of several types
    return [_revision(row) for row in (await connection.execute(statement, dict(asked))).mappings()]


def _listed(row: RowMapping) -> PublishedDocument:
    fields: dict[str, Any] = {**row}  # columns of several types
    fields["audience"] = _segments(row)
    return PublishedDocument(**fields)


def _revision(row: RowMapping) -> DocumentRevision:
    fields: dict[str, Any] = {name: row[name] for name in DocumentRevision.__slots__}  # columns of several types
    fields |= {name: tuple(row[name]) for name in ("tags", "requires_facts", "versions")}
    fields["audience"] = _segments(row)
    return DocumentRevision(**fields)


def _segments(row: RowMapping) -> tuple[str, ...]:
    segments: str = row["audience"]
    return tuple(segments.split(_SEPARATOR))


def _sides(rows: Sequence[RowMapping]) -> Sides:
    return Sides(
        before=tuple(_revision(row) for row in rows if row["was_there"]),
        after=tuple(_revision(row) for row in rows if not row["was_there"]),
        was_there=rows[0]["document_was"],
        is_there=rows[0]["document_is"],
    )
