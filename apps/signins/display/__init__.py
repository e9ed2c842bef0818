"""What the check-in pages show: the calendar's grid, a page's content, the messages after a check-in."""
