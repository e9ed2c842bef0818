"""Content of the check-in pages: the calendar's grid, the pages' parts, the messages after a check-in."""
