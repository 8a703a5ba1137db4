"""The answer log, sealed in hash-chained batches; what may be erased of it; and what a second model says of answers.

Triggers note in the transaction of a row that it waits for its seal, so that nothing can be added past the chain.
Erasing goes through one function of the owner: the app role itself may change and delete nothing of the log.
"""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0011"
down_revision = "0010"

_APP = "knowledge_app"
_SWEEPER = "knowledge_sweeper"
_LOG = ("answer_opening", "answer_log", "answer_cause")
_KINDS = {"answer_opening": "opening", "answer_log": "closing", "answer_cause": "cause", "answer_erasure": "erasure"}
_KEY = "tenant text, attempt uuid, try smallint"
_OPENED = "FOREIGN KEY (tenant, attempt, try) REFERENCES answer_opening (tenant, attempt, try)"

_CREATE = (
    # What of a question is no longer kept is null.
    """ALTER TABLE answer_opening ADD COLUMN earlier jsonb,
        ALTER COLUMN question_masked DROP NOT NULL, ALTER COLUMN facts DROP NOT NULL,
        ALTER COLUMN typed_facts DROP NOT NULL""",
    """ALTER TABLE answer_log ALTER COLUMN read_as DROP NOT NULL, ALTER COLUMN lacking DROP NOT NULL,
        ALTER COLUMN drafts DROP NOT NULL, DROP CONSTRAINT answer_log_check,
        ADD CONSTRAINT answer_log_ending_check CHECK ((outcome = 'failed') = (failure IS NOT NULL)),
        ADD CONSTRAINT answer_log_failure_check CHECK (outcome <> 'failed' OR result IS NULL)""",
    f"""CREATE TABLE answer_original (
        {_KEY}, key_id text NOT NULL, wrapped_key bytea NOT NULL, ciphertext bytea NOT NULL,
        PRIMARY KEY (tenant, attempt, try), {_OPENED})""",
    "CREATE INDEX ix_answer_original_key_id ON answer_original (tenant, key_id)",
    f"""CREATE TABLE answer_erasure (
        {_KEY}, erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, attempt, try), {_OPENED})""",
    # Openings that have no closing yet.
    f"""CREATE TABLE answer_open (
        {_KEY}, opened_at timestamptz NOT NULL, PRIMARY KEY (tenant, attempt, try), {_OPENED})""",
    "CREATE INDEX ix_answer_open_opened_at ON answer_open (opened_at)",
    f"""CREATE TABLE answer_unsealed (
        {_KEY}, kind text, number bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (tenant, number),
        UNIQUE (tenant, attempt, try, kind))""",
    """CREATE TABLE answer_chain (
        tenant text PRIMARY KEY, sealed bigint NOT NULL DEFAULT 0, published bigint NOT NULL DEFAULT 0,
        sampled bigint NOT NULL DEFAULT 0)""",
    """CREATE TABLE answer_batch (
        tenant text, number bigint, form smallint NOT NULL, rows integer NOT NULL CHECK (rows > 0),
        previous bytea NOT NULL, head bytea NOT NULL, sealed_at timestamptz NOT NULL, PRIMARY KEY (tenant, number))""",
    """CREATE TABLE answer_seal (
        tenant text, batch bigint, position integer, kind text NOT NULL, attempt uuid NOT NULL, try smallint NOT NULL,
        commitments bytea NOT NULL, link bytea NOT NULL, row_key bytea NOT NULL, text_key bytea,
        PRIMARY KEY (tenant, batch, position), UNIQUE (tenant, attempt, try, kind),
        FOREIGN KEY (tenant, batch) REFERENCES answer_batch (tenant, number))""",
    f"""CREATE TABLE answer_check (
        {_KEY}, state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DONE', 'GIVEN_UP')),
        tries integer NOT NULL DEFAULT 0, due_at timestamptz NOT NULL DEFAULT clock_timestamp(), trouble text,
        model text, claims integer NOT NULL DEFAULT 0, unsupported integer NOT NULL DEFAULT 0,
        input_tokens integer NOT NULL DEFAULT 0, output_tokens integer NOT NULL DEFAULT 0,
        cost numeric(12, 6) NOT NULL DEFAULT 0, ended_at timestamptz, PRIMARY KEY (tenant, attempt, try), {_OPENED})""",
    "CREATE INDEX ix_answer_check_due_at ON answer_check (due_at) WHERE state = 'PENDING'",
    "CREATE INDEX ix_answer_check_ended_at ON answer_check (tenant, ended_at)",
    f"""CREATE TABLE answer_judgement (
        {_KEY}, claim smallint, part smallint NOT NULL, is_supported boolean NOT NULL, reason text,
        PRIMARY KEY (tenant, attempt, try, claim),
        FOREIGN KEY (tenant, attempt, try) REFERENCES answer_check (tenant, attempt, try))""",
)
_TABLES = (
    "answer_original", "answer_erasure", "answer_open", "answer_unsealed", "answer_chain", "answer_batch", "answer_seal",
    "answer_check", "answer_judgement",
)  # fmt: skip

_FUNCTIONS = (
    """CREATE FUNCTION note_unsealed() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
    BEGIN
        INSERT INTO answer_unsealed (tenant, attempt, try, kind) VALUES (NEW.tenant, NEW.attempt, NEW.try, TG_ARGV[0]);
        IF TG_ARGV[0] = 'opening' THEN
            INSERT INTO answer_open VALUES (NEW.tenant, NEW.attempt, NEW.try, NEW.opened_at);
        ELSIF TG_ARGV[0] = 'closing' THEN
            DELETE FROM answer_open WHERE tenant = NEW.tenant AND attempt = NEW.attempt AND try = NEW.try;
        END IF;
        RETURN NULL;
    END $$""",
    # An attempt that was erased while it ran closes without its texts. The lock keeps an erasure from slipping between.
    """CREATE FUNCTION close_erased() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
    BEGIN
        PERFORM 1 FROM answer_opening WHERE tenant = NEW.tenant AND attempt = NEW.attempt AND try = NEW.try
            FOR KEY SHARE;
        IF EXISTS (SELECT 1 FROM answer_erasure
                   WHERE tenant = NEW.tenant AND attempt = NEW.attempt AND try = NEW.try) THEN
            NEW.read_as := NULL; NEW.lacking := NULL; NEW.drafts := NULL; NEW.result := NULL;
        END IF;
        RETURN NEW;
    END $$""",
    # The lock on the chain keeps a seal from being made of what is erased at the same time.
    """CREATE FUNCTION erase_answers(wanted uuid[]) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
    DECLARE
        whose text := nullif(current_setting('youju.tenant', true), '');
        erased integer;
    BEGIN
        INSERT INTO answer_chain (tenant) VALUES (whose) ON CONFLICT DO NOTHING;
        PERFORM 1 FROM answer_chain WHERE tenant = whose FOR UPDATE;
        PERFORM 1 FROM answer_opening WHERE tenant = whose AND attempt = ANY (wanted) ORDER BY attempt, try FOR UPDATE;
        INSERT INTO answer_erasure (tenant, attempt, try)
            SELECT tenant, attempt, try FROM answer_opening WHERE tenant = whose AND attempt = ANY (wanted)
            ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS erased = ROW_COUNT;
        DELETE FROM answer_original WHERE tenant = whose AND attempt = ANY (wanted);
        UPDATE answer_opening SET question_masked = NULL, earlier = NULL, facts = NULL, typed_facts = NULL
            WHERE tenant = whose AND attempt = ANY (wanted);
        UPDATE answer_log SET read_as = NULL, lacking = NULL, drafts = NULL, result = NULL
            WHERE tenant = whose AND attempt = ANY (wanted);
        UPDATE answer_seal SET text_key = NULL WHERE tenant = whose AND attempt = ANY (wanted);
        PERFORM 1 FROM answer_check WHERE tenant = whose AND attempt = ANY (wanted) ORDER BY attempt, try FOR UPDATE;
        UPDATE answer_judgement SET reason = NULL WHERE tenant = whose AND attempt = ANY (wanted);
        RETURN erased;
    END $$""",
    "REVOKE EXECUTE ON FUNCTION erase_answers(uuid[]) FROM PUBLIC",
    f"GRANT EXECUTE ON FUNCTION erase_answers(uuid[]) TO {_APP}",
    """CREATE TRIGGER close_erased BEFORE INSERT ON answer_log FOR EACH ROW EXECUTE FUNCTION close_erased()""",
)

# Rows that were there before the chain wait for their seal like new ones, the oldest first.
_CATCH_UP = (
    """INSERT INTO answer_unsealed (tenant, attempt, try, kind)
        SELECT tenant, attempt, try, kind FROM (
            SELECT tenant, attempt, try, 'opening' AS kind, opened_at AS at FROM answer_opening
            UNION ALL SELECT tenant, attempt, try, 'closing', closed_at FROM answer_log
            UNION ALL SELECT tenant, attempt, try, 'cause', noted_at FROM answer_cause) AS kept
        ORDER BY at""",
    """INSERT INTO answer_open SELECT tenant, attempt, try, opened_at FROM answer_opening AS opening
        WHERE NOT EXISTS (SELECT 1 FROM answer_log AS log WHERE log.tenant = opening.tenant
            AND log.attempt = opening.attempt AND log.try = opening.try)""",
)

# What only grows, in the words of the grants: nothing of it can be changed or removed by the app role.
_GROWING = ("answer_original", "answer_erasure", "answer_batch", "answer_seal")


def upgrade() -> None:
    for statement in (*_CREATE, *_FUNCTIONS):
        op.execute(statement)
    for table, kind in _KINDS.items():
        op.execute(
            f"CREATE TRIGGER note_unsealed AFTER INSERT ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION note_unsealed('{kind}')"
        )
    _as_owner_of_all(_CATCH_UP)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    for table in _GROWING:
        op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {_APP}")
    op.execute(f"REVOKE INSERT ON answer_erasure FROM {_APP}")
    # Another installation key wraps the same data key anew; the ciphertext stays.
    op.execute(f"GRANT UPDATE (key_id, wrapped_key) ON answer_original TO {_APP}")
    _let_sweep("answer_open", ("tenant", "attempt", "try", "opened_at"))
    _let_sweep("answer_unsealed", ("tenant",))
    _let_sweep("answer_chain", ("tenant", "sealed", "published", "sampled"))
    _let_sweep("answer_check", ("tenant", "attempt", "try", "state", "due_at"))


def downgrade() -> None:
    op.execute("DROP TRIGGER close_erased ON answer_log")
    for table in _LOG:
        op.execute(f"DROP TRIGGER note_unsealed ON {table}")
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
    for function in ("erase_answers(uuid[])", "close_erased()", "note_unsealed()"):
        op.execute(f"DROP FUNCTION {function}")
    _as_owner_of_all((
        "UPDATE answer_opening SET question_masked = '', facts = '{}', typed_facts = '{}' WHERE question_masked IS NULL",
        "UPDATE answer_log SET read_as = '[]', lacking = '[]', drafts = '[]' WHERE drafts IS NULL",
        "UPDATE answer_log SET result = '{}' WHERE outcome <> 'failed' AND result IS NULL",
    ))  # fmt: skip
    op.execute(
        "ALTER TABLE answer_opening DROP COLUMN earlier, ALTER COLUMN question_masked SET NOT NULL,"
        " ALTER COLUMN facts SET NOT NULL, ALTER COLUMN typed_facts SET NOT NULL"
    )
    op.execute(
        "ALTER TABLE answer_log ALTER COLUMN read_as SET NOT NULL, ALTER COLUMN lacking SET NOT NULL,"
        " ALTER COLUMN drafts SET NOT NULL, DROP CONSTRAINT answer_log_ending_check,"
        " DROP CONSTRAINT answer_log_failure_check, ADD CONSTRAINT answer_log_check"
        " CHECK ((outcome = 'failed') = (failure IS NOT NULL) AND (outcome = 'failed') = (result IS NULL))"
    )


def _let_sweep(table: str, columns: tuple[str, ...]) -> None:
    for statement in sweeper_policy(table, role=_SWEEPER, columns=columns):
        op.execute(statement)


def _as_owner_of_all(statements: tuple[str, ...]) -> None:
    """Run statements over the rows of every tenant."""
    for table in _LOG:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for statement in statements:
        op.execute(statement)
    for table in _LOG:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
