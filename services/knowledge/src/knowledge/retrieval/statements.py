"""The SQL of a search. Everything that decides visibility is a condition of the statement itself.

Under row-level security only leakproof operators may use an index, so audience is a number, time is two days, and a
withdrawn text is an anti-join on a hash. Every statement names the tenant itself, so that the planner prunes
partitions while it plans.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Vectors:
    """A table of vectors. In one that several embedders share, `arm` names whose are meant."""

    table: str
    dimension: int
    is_shared: bool = False

    @property
    def compared(self) -> str:
        """Spell the cosine of a row with the question."""
        return f"1 - (vectors.embedding <=> CAST(:question AS halfvec({self.dimension})))"

    @property
    def condition(self) -> str:
        """Spell which rows of the table are meant."""
        return "vectors.tenant = :tenant" + (" AND vectors.arm = :arm" if self.is_shared else "")

    def beside(self, passage: str) -> str:
        """Spell a column, named after the table, that says how similar one passage is; null without a vector.

        The question's vector has that name as well, so that a statement may compare with several arms.
        """
        arm = f" AND beside.arm = :{self.table}_arm" if self.is_shared else ""
        return f"""(SELECT 1 - (beside.embedding <=> CAST(:{self.table} AS halfvec({self.dimension})))
            FROM {self.table} AS beside WHERE beside.tenant = :tenant{arm} AND beside.passage = {passage}) AS {self.table}"""  # noqa: S608 - only constants of this module


FIRST: Final = Vectors("passage_vector", 512)


def second(dimension: int) -> Vectors:
    """Name the table of a second arm whose vectors have so many numbers."""
    return Vectors(f"passage_vector_{dimension}", dimension, is_shared=True)


# What looks rows up by their keys has one plan whatever is looked up, and planning takes longer than looking.
PLANNED_ONCE: Final = """
    SELECT set_config('plan_cache_mode', 'force_generic_plan', true) AS planning, set_config('jit', 'off', true) AS jit,
           set_config('enable_sort', 'on', true) AS sorting
"""
# The conditions of two customers differ too much for one plan.
PLANNED_EACH: Final = """
    SELECT set_config('plan_cache_mode', 'force_custom_plan', true) AS planning, set_config('jit', 'off', true) AS jit,
           set_config('enable_sort', 'on', true) AS sorting
"""

# A walk through the graph gives vectors in their order. Whoever asks for one has decided that it is shorter than to compare
# and sort; without sorting no other plan is left, whatever the planner thinks of the conditions.
APPROXIMATE_SETTINGS: Final = """
    SELECT set_config('hnsw.ef_search', CAST(:width AS text), true) AS width,
           set_config('hnsw.iterative_scan', 'relaxed_order', true) AS walk,
           set_config('plan_cache_mode', 'force_generic_plan', true) AS planning, set_config('jit', 'off', true) AS jit,
           set_config('enable_sort', 'off', true) AS sorting
"""

SERVING: Final = """
    SELECT version.number, version.routing_policy, version.calibration, version.servable_passages, version.hot,
           coalesce(version.built_day, CAST(version.staged_at AS date) + 1) AS built_day, version.analyser,
           version.embedder, version.second_embedder,
           ARRAY(SELECT DISTINCT audience_id FROM audience_segment
                 WHERE tenant = :tenant AND segment = ANY(CAST(:segments AS text[]))) AS audiences,
           (SELECT sum(held.passages) FROM version_audience AS held
            WHERE held.tenant = :tenant AND held.version = version.number
              AND held.audience_id IN (SELECT audience_id FROM audience_segment
                                       WHERE tenant = :tenant AND segment = ANY(CAST(:segments AS text[])))) AS visible
    FROM version
    WHERE version.tenant = :tenant AND version.state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED')
      AND version.number = coalesce(
          CAST(:version AS integer), (SELECT current_version FROM tenant_pointer WHERE tenant = :tenant))
"""

AUDIENCES: Final = """
    SELECT DISTINCT audience_id FROM audience_segment WHERE tenant = :tenant AND segment = ANY(CAST(:segments AS text[]))
"""

FREQUENCIES: Final = """
    SELECT term, passages FROM term_frequency
    WHERE tenant = :tenant AND term = ANY(CAST(:terms AS bigint[]))
      AND version = coalesce(
          CAST(:version AS integer), (SELECT current_version FROM tenant_pointer WHERE tenant = :tenant))
"""

# The most frequent terms, as many as have so many postings together.
FREQUENT: Final = """
    SELECT counted.term, counted.passages
    FROM (SELECT term, passages, sum(passages) OVER (ORDER BY passages DESC, term) AS reached
          FROM term_frequency
          WHERE tenant = :tenant AND version = :version AND passages BETWEEN :least AND :most) AS counted
    WHERE counted.reached <= :postings
    ORDER BY counted.passages DESC, counted.term
"""

# The rarest of these terms, as many as hold so many passages together, and of what is meant by those that no passage
# holds. As an array of bytes they come in one piece.
POSTINGS: Final = """
    WITH asked AS MATERIALIZED (
        SELECT coalesce(CAST(:version AS integer),
                        (SELECT current_version FROM tenant_pointer WHERE tenant = :tenant)) AS version)
    SELECT counted.term, array_send(found.passages) AS passages, array_send(found.impacts) AS impacts
    FROM (SELECT held.term, sum(held.passages) OVER (ORDER BY held.passages, held.term) AS reached
          FROM (SELECT unnest(CAST(:terms AS bigint[])) AS term
                UNION
                SELECT meant.term
                FROM unnest(CAST(:meant AS bigint[]), CAST(:typed AS bigint[])) AS meant (term, typed)
                WHERE NOT EXISTS (
                    SELECT FROM term_frequency
                    WHERE tenant = :tenant AND version = (SELECT version FROM asked) AND term = meant.typed)) AS wanted
          JOIN term_frequency AS held
               ON held.tenant = :tenant AND held.version = (SELECT version FROM asked) AND held.term = wanted.term
          WHERE held.passages <= :most) AS counted
    CROSS JOIN LATERAL (
        SELECT array_agg(posting.passage) AS passages, array_agg(posting.impact) AS impacts
        FROM posting WHERE posting.tenant = :tenant AND posting.term = counted.term) AS found
    WHERE counted.reached <= :budget
"""

# The revisions a customer may be answered from: in the version, for them, in force, not withdrawn.
SERVED: Final = """served AS MATERIALIZED (
        SELECT revision.id
        FROM version_revision
        JOIN revision ON revision.tenant = :tenant AND revision.id = version_revision.revision
        WHERE version_revision.tenant = :tenant AND version_revision.version = :version
          AND revision.audience_id = ANY(CAST(:audiences AS integer[]))
          AND revision.in_force_from <= :as_of AND revision.in_force_until > :as_of
          AND NOT EXISTS (SELECT FROM withdrawal
                          WHERE withdrawal.tenant = :tenant AND withdrawal.document = revision.document
                            AND withdrawal.content_sha256 = revision.content_sha256))"""

LEXICAL: Final = f"""
    WITH {SERVED}
    SELECT passage.id, sum(posting.impact * asked.idf) AS score
    FROM unnest(CAST(:terms AS bigint[]), CAST(:idfs AS double precision[])) AS asked (term, idf)
    JOIN posting ON posting.tenant = :tenant AND posting.term = asked.term
    JOIN passage ON passage.tenant = :tenant AND passage.id = posting.passage
    JOIN served ON served.id = passage.revision
    WHERE passage.audience_id = ANY(CAST(:audiences AS integer[]))
      AND passage.in_force_from <= :as_of AND passage.in_force_until > :as_of
    GROUP BY passage.id
    ORDER BY score DESC, passage.id
    LIMIT :limit
"""  # noqa: S608 - only constants of this module

# What a passage has to fulfil to serve, looked up for one passage after the other: for statements that stop early.
_MAY_SERVE: Final = """
    JOIN version_revision ON version_revision.tenant = :tenant AND version_revision.version = :version
                         AND version_revision.revision = passage.revision
    JOIN revision ON revision.tenant = :tenant AND revision.id = passage.revision
    WHERE passage.audience_id = ANY(CAST(:audiences AS integer[]))
      AND passage.in_force_from <= :as_of AND passage.in_force_until > :as_of
      AND NOT EXISTS (SELECT FROM withdrawal
                      WHERE withdrawal.tenant = :tenant AND withdrawal.document = revision.document
                        AND withdrawal.content_sha256 = revision.content_sha256)"""

# The same for a customer who sees much: the rarest terms choose the best of all, the other terms are looked up for those,
# and the conditions for one after the other, best first, until there are enough. `considered` tells whether there were
# more, so that whoever gets too few asks the statement above.
_ADDED: Final = """others AS MATERIALIZED (
        SELECT posting.passage AS id, sum(posting.impact * other.idf) AS score
        FROM unnest(CAST(:other_terms AS bigint[]), CAST(:other_idfs AS double precision[])) AS other (term, idf)
        JOIN posting ON posting.tenant = :tenant AND posting.term = other.term
                    AND posting.passage = ANY(ARRAY(SELECT led.id FROM led))
        GROUP BY posting.passage)"""
_FIRST_SERVED: Final = f"""
    FROM (SELECT led.id, led.score + coalesce(others.score, 0) AS score
          FROM led LEFT JOIN others ON others.id = led.id
          ORDER BY score DESC, led.id) AS ranked
    JOIN passage ON passage.tenant = :tenant AND passage.id = ranked.id
    {_MAY_SERVE}
    ORDER BY ranked.score DESC, ranked.id
    LIMIT :limit"""  # noqa: S608 - only constants of this module

LEXICAL_BEST: Final = f"""
    WITH led AS MATERIALIZED (
        SELECT posting.passage AS id, sum(posting.impact * asked.idf) AS score
        FROM unnest(CAST(:terms AS bigint[]), CAST(:idfs AS double precision[])) AS asked (term, idf)
        JOIN posting ON posting.tenant = :tenant AND posting.term = asked.term
        GROUP BY posting.passage
        ORDER BY score DESC, posting.passage
        LIMIT :most),
    {_ADDED}
    SELECT ranked.id, ranked.score, (SELECT count(*) FROM led) AS considered
    {_FIRST_SERVED}
"""  # noqa: S608 - only constants of this module


@lru_cache
def lexical_ranked(*beside: Vectors) -> str:
    """Give the same when whoever asks has chosen the best by the leading terms already, compared with other arms as well."""
    return f"""
    WITH led AS MATERIALIZED (
        SELECT given.id, given.score
        FROM unnest(CAST(:ids AS uuid[]), CAST(:scores AS double precision[])) AS given (id, score)),
    {_ADDED}
    SELECT {", ".join(["ranked.id", "ranked.score", *(each.beside("ranked.id") for each in beside)])}
    {_FIRST_SERVED}
    """  # noqa: S608 - only constants of this module


@lru_cache
def exact(vectors: Vectors) -> str:
    """Compare every passage this customer may be answered from."""
    return f"""
    WITH {SERVED}
    SELECT passage.id, {vectors.compared} AS score
    FROM served
    JOIN passage ON passage.tenant = :tenant AND passage.revision = served.id
    JOIN {vectors.table} AS vectors ON {vectors.condition} AND vectors.passage = passage.id
    WHERE passage.audience_id = ANY(CAST(:audiences AS integer[]))
      AND passage.in_force_from <= :as_of AND passage.in_force_until > :as_of
    ORDER BY score DESC, passage.id
    LIMIT :limit
    """  # noqa: S608 - only constants of this module


@lru_cache
def approximate(vectors: Vectors, *beside: Vectors) -> str:
    """Walk the graph of hot vectors, and put what it gives in exact order, compared with other arms as well."""
    return f"""
    WITH near AS MATERIALIZED (
        SELECT vectors.passage AS id, {vectors.compared} AS score
        FROM {vectors.table} AS vectors
        JOIN passage ON passage.tenant = :tenant AND passage.id = vectors.passage
        {_MAY_SERVE}
          AND {vectors.condition} AND vectors.hot
        ORDER BY vectors.embedding <=> CAST(:question AS halfvec({vectors.dimension}))
        LIMIT :limit)
    SELECT {", ".join(["id", "score", *(each.beside("near.id") for each in beside)])} FROM near ORDER BY score DESC, id
    """  # noqa: S608 - only constants of this module


@lru_cache
def similarity_of(vectors: Vectors) -> str:
    """Compare these passages."""
    return f"""
    SELECT vectors.passage AS id, {vectors.compared} AS score
    FROM {vectors.table} AS vectors WHERE {vectors.condition} AND vectors.passage = ANY(CAST(:ids AS uuid[]))
    """  # noqa: S608 - only constants of this module


@lru_cache
def all_similar(vectors: Vectors) -> str:
    """Compare every passage of the version, whoever may see it and whenever it holds."""
    return f"""
    SELECT passage.id, {vectors.compared} AS score
    FROM version_revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    JOIN {vectors.table} AS vectors ON {vectors.condition} AND vectors.passage = passage.id
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
    ORDER BY score DESC, passage.id
    LIMIT :limit
    """  # noqa: S608 - only constants of this module


LEXICAL_OF: Final = """
    SELECT posting.passage AS id, sum(posting.impact * asked.idf) AS score
    FROM unnest(CAST(:terms AS bigint[]), CAST(:idfs AS double precision[])) AS asked (term, idf)
    JOIN posting ON posting.tenant = :tenant AND posting.term = asked.term
    WHERE posting.passage = ANY(CAST(:ids AS uuid[]))
    GROUP BY posting.passage
"""

SENTENCES: Final = """
    SELECT passage AS id, text_start, text_end, 1 - (embedding <=> CAST(:question AS halfvec(512))) AS score
    FROM sentence WHERE tenant = :tenant AND passage = ANY(CAST(:ids AS uuid[]))
    ORDER BY passage, ordinal
"""

PASSAGES: Final = """
    SELECT passage.id, document.slug, revision.title, passage.heading_path, revision.label, revision.effective_from,
           revision.effective_to, revision.created_at, passage.language, revision.priority, passage.text,
           nullif(concat_ws(chr(10), revision.applies_to, passage.applies_to), '') AS applies_to, revision.requires_facts,
           revision.decision, revision.source_url, revision.area, passage.page, passage.line,
           (SELECT segments FROM audience WHERE tenant = :tenant AND id = passage.audience_id) AS segments
    FROM passage
    JOIN revision ON revision.tenant = :tenant AND revision.id = passage.revision
    JOIN document ON document.tenant = :tenant AND document.id = revision.document
    WHERE passage.tenant = :tenant AND passage.id = ANY(CAST(:ids AS uuid[]))
"""

# What holds today decides who may see it: a document that moved to another audience is closed in its old texts as well.
READABLE: Final = """
    SELECT passage.id, CASE WHEN serving.label <> revision.label THEN serving.label END AS replaced_by,
           withdrawal.withdrawn_at
    FROM passage
    JOIN revision ON revision.tenant = :tenant AND revision.id = passage.revision
    LEFT JOIN withdrawal ON withdrawal.tenant = :tenant AND withdrawal.document = revision.document
                        AND withdrawal.content_sha256 = revision.content_sha256
    LEFT JOIN LATERAL (
        SELECT holding.label, holding.audience_id
        FROM tenant_pointer
        JOIN version_revision ON version_revision.tenant = :tenant
                             AND version_revision.version = tenant_pointer.current_version
        JOIN revision AS holding ON holding.tenant = :tenant AND holding.id = version_revision.revision
        WHERE tenant_pointer.tenant = :tenant AND holding.document = revision.document
          AND holding.in_force_from <= :today AND holding.in_force_until > :today) AS serving ON true
    WHERE passage.tenant = :tenant AND passage.id = :id
      AND passage.audience_id = ANY(CAST(:audiences AS integer[])) AND passage.in_force_from <= :today
      AND (serving.audience_id IS NULL OR serving.audience_id = ANY(CAST(:audiences AS integer[])))
"""

WITHDRAWN: Final = """
    WITH cited AS MATERIALIZED (
        SELECT DISTINCT revision FROM passage WHERE tenant = :tenant AND id = ANY(CAST(:ids AS uuid[])))
    SELECT EXISTS (
        SELECT FROM cited
        JOIN revision ON revision.tenant = :tenant AND revision.id = cited.revision
        JOIN withdrawal ON withdrawal.tenant = :tenant AND withdrawal.document = revision.document
                       AND withdrawal.content_sha256 = revision.content_sha256) AS is_withdrawn
"""

ALL_LEXICAL: Final = """
    SELECT posting.passage AS id, sum(posting.impact * asked.idf) AS score
    FROM unnest(CAST(:terms AS bigint[]), CAST(:idfs AS double precision[])) AS asked (term, idf)
    JOIN posting ON posting.tenant = :tenant AND posting.term = asked.term
    JOIN passage ON passage.tenant = :tenant AND passage.id = posting.passage
    JOIN version_revision ON version_revision.tenant = :tenant AND version_revision.version = :version
                         AND version_revision.revision = passage.revision
    GROUP BY posting.passage
    ORDER BY score DESC, id
    LIMIT :limit
"""

ANYWHERE_LEXICAL: Final = """
    SELECT posting.passage AS id, sum(posting.impact * asked.idf) AS score
    FROM unnest(CAST(:terms AS bigint[]), CAST(:idfs AS double precision[])) AS asked (term, idf)
    JOIN posting ON posting.tenant = :tenant AND posting.term = asked.term
    GROUP BY posting.passage
    ORDER BY score DESC, id
    LIMIT :limit
"""


@lru_cache
def anywhere_similar(vectors: Vectors) -> str:
    """Compare every passage the tenant ever had."""
    return f"""
    SELECT vectors.passage AS id, {vectors.compared} AS score
    FROM {vectors.table} AS vectors WHERE {vectors.condition}
    ORDER BY score DESC, id
    LIMIT :limit
    """  # noqa: S608 - only constants of this module


# What decides whether a passage may serve, one column a condition.
RECORDS: Final = """
    SELECT passage.id, document.slug, revision.title, passage.heading_path, revision.label, passage.language,
           passage.text, passage.audience_id = ANY(CAST(:audiences AS integer[])) AS is_visible,
           passage.in_force_from <= :as_of AND passage.in_force_until > :as_of AS is_in_force,
           EXISTS (SELECT FROM version_revision
                   WHERE version_revision.tenant = :tenant AND version_revision.version = :version
                     AND version_revision.revision = passage.revision) AS is_in_version,
           withdrawal.withdrawn_at, passage.page, passage.line,
           nullif(concat_ws(chr(10), revision.applies_to, passage.applies_to), '') AS applies_to
    FROM passage
    JOIN revision ON revision.tenant = :tenant AND revision.id = passage.revision
    JOIN document ON document.tenant = :tenant AND document.id = revision.document
    LEFT JOIN withdrawal ON withdrawal.tenant = :tenant AND withdrawal.document = revision.document
                        AND withdrawal.content_sha256 = revision.content_sha256
    WHERE passage.tenant = :tenant AND passage.id = ANY(CAST(:ids AS uuid[]))
"""

STANDING: Final = """
    SELECT passage.id, passage.language, passage.audience_id = ANY(CAST(:audiences AS integer[])) AS is_visible,
           passage.in_force_from <= :as_of AND passage.in_force_until > :as_of
               AND withdrawal.withdrawn_at IS NULL AS is_in_force
    FROM passage
    JOIN revision ON revision.tenant = :tenant AND revision.id = passage.revision
    LEFT JOIN withdrawal ON withdrawal.tenant = :tenant AND withdrawal.document = revision.document
                        AND withdrawal.content_sha256 = revision.content_sha256
    WHERE passage.tenant = :tenant AND passage.id = ANY(CAST(:ids AS uuid[]))
"""
