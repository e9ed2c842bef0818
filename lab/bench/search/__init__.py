"""Measures search beside plain Python BM25 and SQLite's FTS5."""
