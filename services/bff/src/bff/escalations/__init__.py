"""The wish for a person, and where it stands."""
