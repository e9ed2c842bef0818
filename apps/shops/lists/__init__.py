"""Lists of shops: query, page, rows, cards and JSON."""
