"""Doubtful answers: what brings one before a person, who looks at it, and what comes of it."""
