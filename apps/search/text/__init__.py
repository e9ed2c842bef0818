"""From text to terms: the same way for the index, for queries and for marks."""
