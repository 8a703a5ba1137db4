"""Policies in, checked answers out."""
