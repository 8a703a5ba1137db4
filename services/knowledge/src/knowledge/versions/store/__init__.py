"""Versions as rows."""
