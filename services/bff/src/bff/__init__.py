"""Conversations, attempts and streams for customer channels."""
