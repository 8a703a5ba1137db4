"""Raw documents become clean passages."""
