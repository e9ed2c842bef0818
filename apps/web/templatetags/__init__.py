"""Template libraries parts, languages and metadata."""
