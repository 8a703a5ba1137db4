"""Requests in."""
