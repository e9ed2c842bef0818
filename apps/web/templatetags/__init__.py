"""Template libraries parts and slots."""
