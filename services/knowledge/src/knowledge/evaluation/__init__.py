"""Answers are measured against golden questions."""
