"""Writes notes, from draft to deletion, and their photos; chooses their shop and updates its score."""
