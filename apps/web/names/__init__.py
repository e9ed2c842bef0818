"""Names in two scripts: how Chinese ones are read, and the order of all by reading."""
