"""The demo city and its people, the supervisor of `make demo`, and the embedded Redis server."""
