"""What a reader of an attempt hears."""
