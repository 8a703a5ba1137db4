"""Check an installation, one line for each thing and a remedy for each fault."""
