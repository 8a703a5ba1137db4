"""Whether bff and knowledge hold the same end of an attempt."""
