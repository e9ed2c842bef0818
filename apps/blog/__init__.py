"""Notes about shops: photos, likes, comments and the feed."""
