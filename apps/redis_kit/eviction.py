"""Refuses a Redis that may evict keys: it would lose sold vouchers without a word."""

from typing import Any, cast

import redis
from django.core.exceptions import ImproperlyConfigured
from redis.cluster import RedisCluster

from apps.redis_kit import client


class EvictingRedisError(ImproperlyConfigured):
    """The server's maxmemory-policy allows it to drop keys that have no other copy."""


def require_noeviction(connected: redis.Redis) -> None:
    """Raise EvictingRedisError unless every node's policy is noeviction; ConnectionError when Redis is away.

    Read from INFO, not CONFIG: managed servers forbid CONFIG.
    """
    for policy in _read_policies(connected):
        if policy != "noeviction":
            raise EvictingRedisError(
                f"Redis has maxmemory-policy {policy}, which may throw away keys that record sold vouchers. "
                "Set it to noeviction: 'redis-cli CONFIG SET maxmemory-policy noeviction', the same line in "
                "redis.conf, or the parameter group of a managed Redis."
            )


def _read_policies(connected: redis.Redis) -> list[str]:
    if not client.is_cluster(connected):
        return [str(connected.info("memory")["maxmemory_policy"])]
    answers = cast(Any, connected).info("memory", target_nodes=RedisCluster.PRIMARIES)
    # A cluster of one answers without naming the node.
    nodes = [answers] if "maxmemory_policy" in answers else answers.values()
    return [str(node["maxmemory_policy"]) for node in nodes]
