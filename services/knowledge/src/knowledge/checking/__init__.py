"""Let a second model say whether answers are supported by what they cite."""
