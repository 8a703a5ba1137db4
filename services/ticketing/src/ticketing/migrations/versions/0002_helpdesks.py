"""Let the ledger work with helpdesks elsewhere: open questions, gates, polls, an inbox, and parking with replay."""

from alembic import op

from runtime.database import tenant_policy

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SWEEPER = "ticketing_sweeper"
_TENANT_TABLES = ("helpdesk_gate", "failed_delivery", "inbox")

_LEGAL_MOVES = """
CREATE FUNCTION refuse_illegal_ticket_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.state, NEW.state) NOT IN (
    ('RECEIVED', 'CREATING'),
    ('CREATING', 'CREATING'), ('CREATING', 'CREATED'), ('CREATING', 'OUTCOME_UNKNOWN'), ('CREATING', 'RETRYING'),
    ('CREATING', 'NEEDS_ATTENTION'), ('CREATING', 'CONFLICT'),
    ('OUTCOME_UNKNOWN', 'CREATING'), ('OUTCOME_UNKNOWN', 'CREATED'),
    ('RETRYING', 'CREATING'), ('RETRYING', 'CREATED'),
    ('NEEDS_ATTENTION', 'RETRYING'), ('NEEDS_ATTENTION', 'OUTCOME_UNKNOWN'), ('NEEDS_ATTENTION', 'CREATED'),
    ('CONFLICT', 'CREATED')
  ) THEN
    RAISE EXCEPTION 'a ticket does not go from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$
"""

_STATEMENTS = (
    """
    ALTER TABLE ticket
      ADD COLUMN open_since timestamptz,
      ADD COLUMN counted_from integer NOT NULL DEFAULT 0,
      ADD COLUMN poll_at timestamptz,
      ADD COLUMN polls integer NOT NULL DEFAULT 0,
      ADD COLUMN solution text
    """,
    # Row-level security is forced on the owner as on everybody, so it is lifted for this one statement: a ticket whose
    # question were closed here would be created a second time.
    "ALTER TABLE ticket NO FORCE ROW LEVEL SECURITY",
    "UPDATE ticket SET open_since = changed_at WHERE state IN ('CREATING', 'OUTCOME_UNKNOWN')",
    "ALTER TABLE ticket FORCE ROW LEVEL SECURITY",
    "CREATE INDEX ix_ticket_tenant_due ON ticket (tenant, due_at) WHERE due_at IS NOT NULL",
    "DROP INDEX ix_ticket_due",
    "CREATE INDEX ix_ticket_tenant_poll ON ticket (tenant, poll_at) WHERE poll_at IS NOT NULL",
    "CREATE INDEX ix_ticket_under_way ON ticket (tenant, helpdesk) WHERE state = 'CREATING'",
    "CREATE INDEX ix_ticket_listing ON ticket (tenant, state, id)",
    _LEGAL_MOVES,
    """
    CREATE TRIGGER legal_moves BEFORE UPDATE OF state ON ticket
      FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION refuse_illegal_ticket_move()
    """,
    "ALTER TABLE ticket_try ADD COLUMN latency_ms integer, ADD COLUMN detail text",
    """
    ALTER TABLE parked_message
      ADD COLUMN ticket_key text,
      ADD COLUMN is_reported boolean NOT NULL DEFAULT false,
      ADD COLUMN replayed_at timestamptz
    """,
    "ALTER TABLE parked_message DROP CONSTRAINT ck_parked_message_reason",
    """
    ALTER TABLE parked_message ADD CONSTRAINT ck_parked_message_reason
      CHECK (reason IN ('MALFORMED', 'CONFLICT', 'UNKNOWN_VERSION', 'POISON'))
    """,
    """
    CREATE TABLE helpdesk_gate (
      tenant text NOT NULL,
      helpdesk text NOT NULL,
      failures integer NOT NULL DEFAULT 0,
      closed_until timestamptz,
      changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT pk_helpdesk_gate PRIMARY KEY (tenant, helpdesk)
    )
    """,
    """
    CREATE TABLE failed_delivery (
      tenant text NOT NULL,
      message_id text NOT NULL,
      deliveries integer NOT NULL DEFAULT 1,
      error_class text NOT NULL,
      failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT pk_failed_delivery PRIMARY KEY (tenant, message_id)
    )
    """,
    """
    CREATE TABLE inbox (
      tenant text NOT NULL,
      helpdesk text NOT NULL,
      message_id text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT pk_inbox PRIMARY KEY (tenant, helpdesk, message_id)
    )
    """,
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
    for table in _TENANT_TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    op.execute(f"GRANT SELECT (poll_at) ON ticket TO {_SWEEPER}")


def downgrade() -> None:
    for table in _TENANT_TABLES:
        op.drop_table(table)
    op.execute("ALTER TABLE parked_message NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM parked_message WHERE reason IN ('UNKNOWN_VERSION', 'POISON')")
    op.execute("ALTER TABLE parked_message FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE parked_message DROP CONSTRAINT ck_parked_message_reason")
    op.execute(
        "ALTER TABLE parked_message ADD CONSTRAINT ck_parked_message_reason CHECK (reason IN ('MALFORMED', 'CONFLICT'))"
    )
    op.execute("ALTER TABLE parked_message DROP COLUMN ticket_key, DROP COLUMN is_reported, DROP COLUMN replayed_at")
    op.execute("ALTER TABLE ticket_try DROP COLUMN latency_ms, DROP COLUMN detail")
    op.execute("DROP TRIGGER legal_moves ON ticket")
    op.execute("DROP FUNCTION refuse_illegal_ticket_move")
    for index in ("ix_ticket_tenant_due", "ix_ticket_tenant_poll", "ix_ticket_under_way", "ix_ticket_listing"):
        op.execute(f"DROP INDEX {index}")
    op.execute("CREATE INDEX ix_ticket_due ON ticket (due_at) WHERE due_at IS NOT NULL")
    op.execute(
        "ALTER TABLE ticket DROP COLUMN open_since, DROP COLUMN counted_from, DROP COLUMN poll_at,"
        " DROP COLUMN polls, DROP COLUMN solution"
    )
