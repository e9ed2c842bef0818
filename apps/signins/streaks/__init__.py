"""Streaks (days in a row): their arithmetic, the bitmaps of months and the leaderboard in Redis."""
