"""Passages become a draft with citations."""
