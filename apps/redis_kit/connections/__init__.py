"""How a connection URL becomes a client: one server, a Redis Cluster, or the master that Sentinels name."""
