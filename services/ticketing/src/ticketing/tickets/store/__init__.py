"""SQL of the ledger and of what surrounds it."""
