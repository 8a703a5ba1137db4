"""Run Postgres and Valkey from wheels, without anything installed on the machine."""
