"""Notes as people see them: cards, lists, the page of one note, the home page's shelves."""
