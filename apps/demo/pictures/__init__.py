"""Draws the pictures of the demo's notes with Pillow; the same motif always gives the same picture.

Seventy photos in the repository would be four megabytes, and real ones have owners; drawing takes seven
seconds of a core. A note keeps a copy under a name of its own, as uploads do: deleting it takes nothing from
another.
"""
