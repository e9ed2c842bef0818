"""What the people of the demo do: notes with pictures, likes, comments, follows and sign-ins."""
