"""Refuses a Redis that may evict keys, and keeps what can be spared from filling it.

An evicting Redis would lose sold vouchers without a word; a full one refuses to sell. So each area that can
be spared stops growing at its share of maxmemory, long before sales are refused.
"""

import logging
import time
from typing import Any, cast

import redis
from django.core.exceptions import ImproperlyConfigured
from redis.cluster import RedisCluster

from apps.redis_kit import client

log = logging.getLogger(__name__)
#: Seconds between two looks at the memory of a server.
CHECK_SECONDS = 5.0
_budgets: list["MemoryBudget"] = []
_checked_at = float("-inf")


class EvictingRedisError(ImproperlyConfigured):
    """The server's maxmemory-policy allows it to drop keys that have no other copy."""


class MemoryBudget:
    """How full an area of keys may find its server: `is_spent` past that share of maxmemory.

    It costs a reader nothing: the thread that polls for settings calls `check_budgets`.
    """

    def __init__(self, area: str, *, connection: str, share: float) -> None:
        self.area, self.connection, self.share = area, connection, share
        self.is_spent = False
        _budgets.append(self)

    def judge(self, filled: float) -> None:
        """Take note of the filled share of the server; the first change is logged."""
        was_spent, self.is_spent = self.is_spent, filled >= self.share
        if was_spent != self.is_spent:
            said = "stops growing" if self.is_spent else "grows again"
            log.warning("Redis is %d %% full: %s %s", filled * 100, self.area, said)


def check_budgets() -> None:
    """Judge every budget, at most once in CHECK_SECONDS; while Redis is away they stay as they are."""
    global _checked_at
    if time.monotonic() - _checked_at < CHECK_SECONDS:
        return
    _checked_at = time.monotonic()
    for connection in {budget.connection for budget in _budgets}:
        try:
            filled = read_filled_share(client.get(connection))
        except client.UNAVAILABLE:
            continue
        for budget in _budgets:
            if budget.connection == connection:
                budget.judge(filled)


def read_filled_share(connected: redis.Redis) -> float:
    """Used memory by maxmemory, of the fullest node; 0 for a server without a limit."""
    nodes = _read_memory(connected)
    return max(
        (int(node["used_memory"]) / int(node["maxmemory"]) for node in nodes if int(node["maxmemory"])),
        default=0.0,
    )


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
    return [str(node["maxmemory_policy"]) for node in _read_memory(connected)]


def _read_memory(connected: redis.Redis) -> list[dict[str, Any]]:
    """INFO memory of each primary."""
    if not client.is_cluster(connected):
        return [connected.info("memory")]
    answers = cast(Any, connected).info("memory", target_nodes=RedisCluster.PRIMARIES)
    # A cluster of one answers without naming the node.
    return [answers] if "maxmemory_policy" in answers else list(answers.values())
