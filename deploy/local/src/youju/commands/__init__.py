"""The groups of commands, each a thin layer over what it names."""
