"""Recognise what belongs to a person in a text."""
