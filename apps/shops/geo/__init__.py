"""The GEO index in Redis, its rebuild, and the reader's location."""
