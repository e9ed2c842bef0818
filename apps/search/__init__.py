"""Search and suggestions: an inverted index in Redis that follows the rows in SQL."""
