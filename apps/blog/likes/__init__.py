"""Likes of notes: the verbs, SQL's rows, and a copy of each note's likes in Redis."""
