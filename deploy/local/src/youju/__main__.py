"""Serve `python -m youju`."""

from youju.main import run

run()
