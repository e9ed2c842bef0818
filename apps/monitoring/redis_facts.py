"""Facts from Redis INFO: memory, traffic, and what a power cut would lose."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import redis
from django.utils.translation import gettext_lazy as _
from redis.exceptions import ResponseError

from apps.redis_kit import client

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

#: What each append-only setting loses in a power cut, as the Redis documentation on persistence has it.
POWER_CUT_LOSSES = {
    "always": _("nothing that was answered"),
    "everysec": _("about the last second"),
    "no": _("up to half a minute, as the system likes"),
    "snapshot": _("everything since the last snapshot"),
    "everything": _("everything"),
}


@dataclass(frozen=True)
class RedisFacts:
    """One server's state; sizes in bytes, `limit` 0 means none, `loses` in words."""

    version: str
    used: int
    peak: int
    limit: int
    policy: str
    clients: int
    per_second: int
    uptime_days: int
    aof: bool
    fsync: str
    aof_ok: bool
    snapshots: str
    saved_at: datetime | None
    replicas: int

    @property
    def share(self) -> int:
        """Percent of the memory limit in use."""
        return round(100 * self.used / self.limit) if self.limit else 0

    @property
    def power_cut_loss(self) -> "StrPromise":
        """What a power cut would lose, in words."""
        if self.aof:
            return POWER_CUT_LOSSES.get(self.fsync, POWER_CUT_LOSSES["everysec"])
        return POWER_CUT_LOSSES["snapshot" if self.snapshots else "everything"]


def read_facts() -> RedisFacts:
    """Facts of the server (of a cluster: of its first primary); client.UNAVAILABLE when Redis is away."""
    connected = client.get()
    info = first_server(connected.info())
    config = _read_config(connected)
    saved = int(info.get("rdb_last_save_time", 0))
    number = info.get("valkey_version") or info.get("redis_version", "")
    return RedisFacts(
        version=f"{info.get('server_name', 'redis')} {number}",
        used=int(info.get("used_memory", 0)),
        peak=int(info.get("used_memory_peak", 0)),
        limit=int(info.get("maxmemory", 0)),
        policy=str(info.get("maxmemory_policy", "")),
        clients=int(info.get("connected_clients", 0)),
        per_second=int(info.get("instantaneous_ops_per_sec", 0)),
        uptime_days=int(info.get("uptime_in_days", 0)),
        aof=bool(info.get("aof_enabled", 0)),
        fsync=config.get("appendfsync", ""),
        aof_ok=info.get("aof_last_write_status", "ok") == "ok",
        snapshots=config.get("save", ""),
        saved_at=datetime.fromtimestamp(saved, UTC) if saved else None,
        replicas=int(info.get("connected_slaves", 0)),
    )


def first_server(answer: Any) -> dict[str, Any]:
    """INFO of one server: of a Cluster that answered for several, that of its first primary."""
    first = next(iter(answer.values()))
    return cast(dict[str, Any], first if isinstance(first, dict) else answer)


def _read_config(connected: redis.Redis) -> dict[str, str]:
    """Settings that INFO leaves out; {} where the server forbids CONFIG."""
    try:
        return cast(dict[str, str], connected.config_get("appendfsync", "save"))
    except ResponseError:
        return {}
