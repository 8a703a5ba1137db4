"""Reads the index of a version: what serves, candidates with scores, passages."""
