"""The lens: what a request asked of Redis and SQL, shown beside the page that it made."""
