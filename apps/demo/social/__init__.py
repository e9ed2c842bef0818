"""Makes what the demo's people do: notes with pictures, likes, comments, follows and check-ins."""
