"""One escalation, one ticket."""
