"""Names as a person types them: address books, an index of many names, and strings as scores."""
