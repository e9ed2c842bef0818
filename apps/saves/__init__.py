"""Saved shops and collected notes, in lists of people's own."""
