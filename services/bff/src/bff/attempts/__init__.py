"""One try at answering one question."""
