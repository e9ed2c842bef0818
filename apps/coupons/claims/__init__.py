"""The decision about claims, and the data of a sale in Redis: loading, counting, stream, ids."""
