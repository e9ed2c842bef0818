"""When Redis counts as away."""

from redis import exceptions

#: Redis is away, full, loading or not a master: a read falls back to SQL, a write answers 503.
UNAVAILABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.RedisClusterException,
)
