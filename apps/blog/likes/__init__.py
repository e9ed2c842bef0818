"""Likes of notes: like and unlike, SQL's rows, and a copy of each note's likes in Redis."""
