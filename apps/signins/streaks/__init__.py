"""Days in a row: their arithmetic, the months' bitmaps and the leaderboard in Redis."""
