"""Pages about the site itself: help, privacy, and who runs it."""
