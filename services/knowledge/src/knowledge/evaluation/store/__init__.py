"""Golden cases, thresholds and runs in Postgres."""
