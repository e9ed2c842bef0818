"""Claims and live streams that the event loop answers in front of Django."""
