"""Clients of the servers that a test runs, found without the code under test."""

from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.retry import Retry
from redis.sentinel import Sentinel


def connect(url: str) -> redis.Redis:
    """Return a client of a redis+cluster or redis+sentinel URL."""
    parts = urlsplit(url)
    addresses = [address.rpartition(":") for address in parts.netloc.split(",")]
    places = [(host, int(port)) for host, _, port in addresses]
    options: dict[str, Any] = {"decode_responses": True, "protocol": 2, "socket_timeout": 10}
    if parts.scheme == "redis+cluster":
        nodes = [ClusterNode(*place) for place in places]
        return cast(redis.Redis, RedisCluster(startup_nodes=nodes, **options))
    service = parse_qs(parts.query)["service"][0]
    return cast(redis.Redis, Sentinel(places, **options).master_for(service, retry=Retry(NoBackoff(), 0)))


def list_servers(connected: redis.Redis | RedisCluster) -> list[redis.Redis]:
    """A client of each node of a Cluster, or that of the one server."""
    if isinstance(connected, RedisCluster):
        return [node.redis_connection for node in connected.get_nodes() if node.redis_connection]
    return [connected]
