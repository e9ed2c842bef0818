"""The city of an address, from MaxMind's published files."""
