"""Prove that the answer log is what was written, and rerun what it tells of an attempt."""
