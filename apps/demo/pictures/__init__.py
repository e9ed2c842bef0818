"""Draws the pictures of the demo's notes with Pillow; the same motif always gives the same picture."""
