"""Names as somebody types them: address books, an index of many names, and strings as scores."""
