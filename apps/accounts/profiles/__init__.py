"""What a person shows: profile, avatar, counts, unread notifications."""
