"""Find the answers of the past that cited a document or one of its revisions."""

from itertools import groupby
from typing import Any, Final
from uuid import UUID

from sqlalchemy import RowMapping, and_, func, literal, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.review.recall import CitedRevision, CitingAnswer, Replaced, Withdrawn
from knowledge.tables.answers import answer_opening
from knowledge.tables.documents import document, revision
from knowledge.tables.review import answer_citation

_CITED: Final = answer_citation.c

# Withdrawals whose notice was not made yet.
_WITHDRAWN: Final = text("""
    WITH gone AS (
        SELECT document.slug, withdrawal.document, withdrawal.content_sha256,
               max(withdrawal.withdrawn_at) OVER (PARTITION BY withdrawal.document) AS withdrawn_at
        FROM withdrawal JOIN document ON document.id = withdrawal.document
        WHERE NOT EXISTS (SELECT FROM notice WHERE notice.kind = 'RECALL' AND notice.subject = 'document:' || document.slug
                          AND notice.created_at >= withdrawal.withdrawn_at))
    SELECT gone.slug, gone.withdrawn_at, revision.label, revision.owner, count(*) AS answers
    FROM gone
    JOIN revision ON revision.document = gone.document AND revision.content_sha256 = gone.content_sha256
    JOIN answer_citation ON answer_citation.revision = revision.id
    GROUP BY gone.slug, gone.withdrawn_at, revision.label, revision.owner
    ORDER BY gone.slug, gone.withdrawn_at, revision.label
    LIMIT 1000
""")
# What publications took away, as long as that is news; several may fall between two looks, also of one version. A text
# that comes back and goes again was cited again: each time counts the answers from when it came until it comes back.
REPLACED: Final = text("""
    WITH shift AS MATERIALIZED (
        SELECT number, at, split_part(subject, ':', 2)::integer AS version, (detail ->> 'before')::integer AS before, subject
        FROM audit_event
        WHERE act IN ('VERSION_PUBLISHED', 'VERSION_ROLLED_BACK') AND subject >= 'version:' AND subject < 'version;'),
    moved AS MATERIALIZED (
        SELECT *
        FROM (SELECT *, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS period FROM shift) AS shift
        WHERE at > clock_timestamp() - interval '1 day'
          AND NOT EXISTS (SELECT FROM notice
                          WHERE notice.kind = 'RECALL' AND notice.subject = shift.subject
                            AND (notice.period = shift.period
                                 OR (notice.period = '' AND notice.created_at >= shift.at))))
    SELECT moved.version, moved.period, document.slug, revision.label, revision.owner, count(*) AS answers
    FROM moved
    -- A publication at a time: joined at once, all that every version ever held is read through.
    CROSS JOIN LATERAL (SELECT revision FROM version_revision WHERE version = moved.before
                        EXCEPT SELECT revision FROM version_revision WHERE version = moved.version) AS old
    JOIN revision ON revision.id = old.revision
    JOIN document ON document.id = revision.document
    CROSS JOIN LATERAL (
        -- What came for the first time cannot have been cited before, whatever the clocks of two machines say.
        SELECT CASE WHEN count(*) FILTER (WHERE shift.number < moved.number) > 1
                    THEN max(shift.at) FILTER (WHERE shift.number < moved.number) END AS came,
               min(shift.at) FILTER (WHERE shift.number > moved.number) AS comes_back
        FROM shift
        WHERE EXISTS (SELECT FROM version_revision AS held
                      WHERE held.version = shift.version AND held.revision = old.revision)
          AND NOT EXISTS (SELECT FROM version_revision AS held
                          WHERE held.version = shift.before AND held.revision = old.revision)) AS span
    JOIN answer_citation ON answer_citation.revision = revision.id
                        AND answer_citation.closed_at >= coalesce(span.came, '-infinity')
                        AND answer_citation.closed_at < coalesce(span.comes_back, 'infinity')
    GROUP BY moved.number, moved.version, moved.period, document.slug, revision.label, revision.owner
    ORDER BY moved.number, document.slug, revision.label
    LIMIT 1000
""")


async def list_citing(
    connection: AsyncConnection,
    *,
    slug: str,
    revision_id: UUID | None,
    after: tuple[UUID, UUID] | None,
    limit: int,
) -> list[CitingAnswer]:
    """List answers that cited a document, or one revision of it, newest first, after an attempt and revision."""
    place = (_CITED.attempt, _CITED.revision)
    opened = and_(answer_opening.c.tenant == _CITED.tenant, answer_opening.c.attempt == _CITED.attempt)
    listing = (
        select(
            _CITED.attempt.label("attempt_id"),
            _CITED.revision.label("revision_id"),
            revision.c.label,
            answer_opening.c.question_masked.label("question"),
            _CITED.closed_at,
        )
        .select_from(document)
        .join(revision, revision.c.document == document.c.id)
        .join(answer_citation, _CITED.revision == revision.c.id)
        .outerjoin(answer_opening, opened)
        .where(document.c.slug == slug)
        .order_by(*(column.desc() for column in place))
        .limit(limit)
    )
    if revision_id is not None:
        listing = listing.where(_CITED.revision == revision_id)
    if after is not None:
        listing = listing.where(tuple_(*place) < tuple_(*(literal(each) for each in after)))
    return [CitingAnswer(**row) for row in (await connection.execute(listing)).mappings()]


async def count_citing(connection: AsyncConnection, slug: str) -> int:
    """Count the answers that cited any revision of a document."""
    counting = (
        select(func.count(_CITED.attempt.distinct()))
        .select_from(document)
        .join(revision, revision.c.document == document.c.id)
        .join(answer_citation, _CITED.revision == revision.c.id)
        .where(document.c.slug == slug)
    )
    return (await connection.execute(counting)).scalar_one()


async def withdrawn_and_cited(connection: AsyncConnection) -> list[Withdrawn]:
    """List documents that were withdrawn after answers had cited them, and that no notice tells of yet."""
    rows = (await connection.execute(_WITHDRAWN)).mappings().all()
    return [
        Withdrawn(slug=slug, withdrawn_at=at, revisions=tuple(_cited(each) for each in group))
        for (slug, at), group in groupby(rows, key=lambda row: (row["slug"], row["withdrawn_at"]))
    ]


async def replaced_and_cited(connection: AsyncConnection) -> list[Replaced]:
    """List what publications of the last day took away after answers had cited it, and no notice tells of yet."""
    rows = (await connection.execute(REPLACED)).mappings().all()
    return [
        Replaced(version=version, period=period, revisions=tuple(_cited(each) for each in group))
        for (version, period), group in groupby(rows, key=lambda row: (row["version"], row["period"]))
    ]


def _cited(row: RowMapping) -> CitedRevision:
    fields: dict[str, Any] = {name: row[name] for name in CitedRevision.__slots__}  # columns of several types
    return CitedRevision(**fields)
