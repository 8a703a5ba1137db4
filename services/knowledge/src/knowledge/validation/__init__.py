"""A draft becomes a verdict."""
