"""The GEO index in Redis, its rebuild, and where the reader is."""
