"""Passages become an immutable, publishable whole."""
