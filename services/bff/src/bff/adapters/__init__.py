"""Requests out."""
