"""Uploaded pictures: drawn anew in a process of their own, and stored as files."""
