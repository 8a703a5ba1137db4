"""What other services tell bff."""
