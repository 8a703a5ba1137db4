"""The schema's history, run by Alembic."""
