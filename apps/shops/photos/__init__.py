"""The photos that shops show of themselves."""
