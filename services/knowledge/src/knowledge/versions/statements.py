"""The SQL of versions, imports and documents that is too long to read between functions."""

from typing import Final

KEPT: Final = """
    SELECT document.slug, revision.label, revision.title, revision.language, revision.owner, revision.area,
           audience.segments, revision.tags, revision.priority, revision.review_date, revision.effective_from,
           revision.effective_to, revision.declared_to, revision.superseded_by, revision.applies_to,
           revision.requires_facts, revision.decision, revision.public, revision.source_url, revision.path,
           revision.source, revision.content_sha256
    FROM tenant_pointer
    JOIN version_revision ON version_revision.version = tenant_pointer.current_version
    JOIN revision ON revision.id = version_revision.revision
    JOIN document ON document.id = revision.document
    JOIN audience ON audience.id = revision.audience_id
"""

SIZE: Final = """
    SELECT count(*) AS passages, count(*) FILTER (WHERE passage.in_force_until > :day) AS servable
    FROM version_revision JOIN passage ON passage.revision = version_revision.revision
    WHERE version_revision.version = :version
"""

PROGRESS: Final = """
    SELECT count(*) FILTER (WHERE built.passages > 0 AND built.pending = 0) AS revisions_done,
           coalesce(sum(built.passages), 0) AS passages, coalesce(sum(built.passages - built.pending), 0) AS vectors
    FROM version_revision
    JOIN LATERAL (
        SELECT count(*) AS passages, count(*) FILTER (WHERE NOT passage.indexed) AS pending
        FROM passage WHERE passage.revision = version_revision.revision) AS built ON true
    WHERE version_revision.version = :version
"""

VERSIONS: Final = """
    SELECT version.number, version.state, version.passages, version.reason, version.created_by, version.created_at,
           version.published_by, version.published_at, count(revision.id) AS revisions,
           count(DISTINCT revision.document) AS documents
    FROM version
    LEFT JOIN version_revision ON version_revision.version = version.number
    LEFT JOIN revision ON revision.id = version_revision.revision
    WHERE version.number < coalesce(CAST(:before AS integer), 2147483647)
    GROUP BY version.tenant, version.number
    ORDER BY version.number DESC
    LIMIT :limit
"""

DOCUMENTS: Final = """
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
"""

WITHDRAW: Final = """
    INSERT INTO withdrawal (tenant, document, content_sha256, withdrawn_by)
    SELECT DISTINCT :tenant, revision.document, revision.content_sha256, :actor
    FROM document JOIN revision ON revision.document = document.id
    WHERE document.slug = :slug
    ON CONFLICT DO NOTHING
"""
