"""Comparisons of design patterns, run by commands, explained in docs/patterns; may import every app."""
