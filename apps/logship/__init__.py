"""Log shipping: files go through a Redis stream in compressed blocks to analysers, each line exactly once."""
