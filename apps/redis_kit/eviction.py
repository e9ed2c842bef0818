"""Refuses a Redis that may evict keys, and keeps what can be spared from filling it.

An evicting Redis would lose sold vouchers without a word; a full one refuses to sell. So each area that can
be spared stops growing on a server that is filled to a share, and past a quota of its own. Then the
monitoring also deletes some of its keys, which are all expendable.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import redis
from django.core.exceptions import ImproperlyConfigured
from redis.cluster import RedisCluster

from apps.redis_kit import client, keys, schema, transport

log = logging.getLogger(__name__)
#: Seconds between two looks at the memory of a server.
CHECK_SECONDS = 5.0
#: What was measured holds for so long: while nobody measures, no area is past its quota.
USES_TTL = timedelta(minutes=5)
_budgets: list["MemoryBudget"] = []
_checked_at = float("-inf")


class EvictingRedisError(ImproperlyConfigured):
    """The server's maxmemory-policy allows it to drop keys that have no other copy."""


class MemoryBudget:
    """What an area of expendable keys may take: `is_spent` past its quota, or on a server that is too full.

    `share` and `quota` are shares of maxmemory: of all that the server holds, and of what the area's `keys`
    hold. It costs a reader nothing: the thread that polls for settings calls `check_budgets`.
    """

    def __init__(
        self, area: str, *, connection: str, keys: Sequence[schema.Key], quota: float, share: float = 1.0
    ) -> None:
        self.area, self.connection, self.keys = area, connection, keys
        self.quota, self.share = quota, share
        self.is_spent = False
        _budgets.append(self)

    def judge(self, filled: float, *, is_over_quota: bool = False) -> None:
        """Take note of the filled share of the server and of the quota; the first change is logged."""
        was_spent, self.is_spent = self.is_spent, filled >= self.share or is_over_quota
        if was_spent != self.is_spent:
            state = "stops growing" if self.is_spent else "grows again"
            quota = ", its quota is used up" if is_over_quota else ""
            log.warning("Redis is %d %% full: %s %s%s", filled * 100, self.area, state, quota)


@dataclass(frozen=True)
class AreaUse:
    """What an area was last measured to hold, and may hold; bytes. `allowed` 0: its server has no limit."""

    area: str
    used: int
    allowed: int

    @property
    def is_over(self) -> bool:
        """Whether the area is past its quota."""
        return 0 < self.allowed < self.used


def list_budgets() -> list[MemoryBudget]:
    """The budgets of all areas, in the order in which they were declared."""
    return list(_budgets)


def save_uses(uses: Sequence[AreaUse]) -> None:
    """Let every process know what was measured; raises client.UNAVAILABLE."""
    key = keys.MEMORY_AREAS()
    fields = [part for use in uses for part in (use.area, f"{use.used} {use.allowed}")]
    expiry = int(USES_TTL.total_seconds())
    transport.execute_many(client.get(), [("DEL", key), ("HSET", key, *fields), ("EXPIRE", key, expiry)])


def read_uses() -> list[AreaUse]:
    """What was measured last; raises client.UNAVAILABLE."""
    stored = cast(dict[str, str], client.get().hgetall(keys.MEMORY_AREAS()))
    return [AreaUse(area, *map(int, text.split())) for area, text in stored.items()]


def check_budgets() -> None:
    """Judge every budget, at most once in CHECK_SECONDS; while Redis is away they stay as they are."""
    global _checked_at
    if time.monotonic() - _checked_at < CHECK_SECONDS:
        return
    _checked_at = time.monotonic()
    try:
        over = {use.area for use in read_uses() if use.is_over}
    except client.UNAVAILABLE:
        return
    for connection in {budget.connection for budget in _budgets}:
        try:
            filled = read_filled_share(client.get(connection))
        except client.UNAVAILABLE:
            continue
        for budget in _budgets:
            if budget.connection == connection:
                budget.judge(filled, is_over_quota=budget.area in over)


def read_filled_share(connected: redis.Redis) -> float:
    """Used memory by maxmemory, of the fullest node; 0 for a server without a limit."""
    nodes = _read_memory(connected)
    return max(
        (int(node["used_memory"]) / int(node["maxmemory"]) for node in nodes if int(node["maxmemory"])),
        default=0.0,
    )


def read_limit(connected: redis.Redis) -> int:
    """maxmemory of all primaries together, in bytes; 0 when one of them has no limit."""
    limits = [int(node["maxmemory"]) for node in _read_memory(connected)]
    return sum(limits) if all(limits) else 0


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
