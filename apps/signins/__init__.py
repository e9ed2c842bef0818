"""Check-ins: days in a row, their points, and the leaderboard."""
