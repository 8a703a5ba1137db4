"""One ticket key, one ticket."""
