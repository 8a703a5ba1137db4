"""Let the app role keep statistics fresh, and load a tenant's graph of vectors into memory.

MAINTAIN lets a role analyse and vacuum a table, not read it: partitions stay out of the app role's reach.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

_APP = "knowledge_app"
_PARTITIONS = 8
_PARTITIONED = ("passage", "posting", "passage_vector", "sentence")
_PLAIN = ("term_frequency", "version_revision", "revision")

# pg_prewarm wants the right to read the partition, so it runs with the owner's. Without the extension, and for a graph
# that would push everything else out of memory, nothing happens.
_WARM_GRAPH = f"""
    CREATE FUNCTION warm_graph(vectors text, tenant text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
        graph regclass;
        blocks bigint := 0;
    BEGIN
        SELECT to_regclass(format('%I', vectors || '_p' || number || '_embedding_idx')) INTO graph
        FROM generate_series(0, {_PARTITIONS - 1}) AS number
        WHERE satisfies_hash_partition(to_regclass(format('%I', vectors)), {_PARTITIONS}, number, tenant);
        IF graph IS NOT NULL AND EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_prewarm')
           AND pg_relation_size(graph) <= pg_size_bytes(current_setting('shared_buffers')) / 2 THEN
            EXECUTE 'SELECT pg_prewarm($1)' INTO blocks USING graph;
        END IF;
        RETURN blocks;
    END $$
"""  # noqa: S608 - a constant of this module


def upgrade() -> None:
    partitions = (f"{table}_p{number}" for table in _PARTITIONED for number in range(_PARTITIONS))
    for table in (*_PLAIN, *_PARTITIONED, *partitions):
        op.execute(f"GRANT MAINTAIN ON {table} TO {_APP}")
    op.execute(_WARM_GRAPH)
    op.execute("REVOKE ALL ON FUNCTION warm_graph FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION warm_graph TO {_APP}")


def downgrade() -> None:
    op.execute("DROP FUNCTION warm_graph")
    partitions = (f"{table}_p{number}" for table in _PARTITIONED for number in range(_PARTITIONS))
    for table in (*_PLAIN, *_PARTITIONED, *partitions):
        op.execute(f"REVOKE MAINTAIN ON {table} FROM {_APP}")
