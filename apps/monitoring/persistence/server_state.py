"""How the server in use keeps data on disk: settings, last save and rewrite, sizes, the disk's lag."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from redis.exceptions import ResponseError

from apps.monitoring.redis_facts import first_server
from apps.redis_kit import client

SETTINGS = ("appendonly", "appendfsync", "save", "maxmemory-policy", "auto-aof-rewrite-percentage")


@dataclass(frozen=True)
class PersistenceState:
    """INFO persistence and the settings; sizes in bytes, times in seconds. -1: the server doesn't say.

    `settings` is empty where the server refuses CONFIG, as hosted servers do.
    """

    settings: Mapping[str, str]
    info: Mapping[str, Any]
    read_at: datetime

    @property
    def is_config_refused(self) -> bool:
        return not self.settings

    @property
    def has_aof(self) -> bool:
        return bool(self.number("aof_enabled") > 0)

    @property
    def fsync(self) -> str:
        """When the append-only file reaches the disk: always, everysec, no; "" when unknown."""
        return self.settings.get("appendfsync", "") if self.has_aof else ""

    @property
    def save_rules(self) -> str:
        """When a snapshot is made, as `save` has it: "3600 1 300 100"; "" for never."""
        return self.settings.get("save", "")

    @property
    def policy(self) -> str:
        return self.settings.get("maxmemory-policy") or str(self.info.get("maxmemory_policy", ""))

    @property
    def mode(self) -> str:
        """The row of the table of settings that is this server's: none, rdb, no, everysec, always, or ""."""
        if self.has_aof:
            return self.fsync
        if self.is_config_refused:
            return ""
        return "rdb" if self.save_rules else "none"

    @property
    def saved_at(self) -> datetime | None:
        """When the last snapshot was made; None for never."""
        moment = self.number("rdb_last_save_time")
        # Without a snapshot the server gives the time of its start.
        return datetime.fromtimestamp(moment, UTC) if moment > 0 and self.number("rdb_saves") else None

    @property
    def seconds_since_save(self) -> float:
        """Seconds since the last snapshot, or since the start without one."""
        saved = self.saved_at
        return (self.read_at - saved).total_seconds() if saved else float(self.number("uptime_in_seconds"))

    def number(self, name: str) -> int:
        """A number of INFO; -1 when the server doesn't say."""
        value = self.info.get(name, -1)
        return int(value) if isinstance(value, int | float) else -1

    def is_ok(self, name: str) -> bool:
        """Whether a status of INFO is "ok" or missing."""
        return bool(self.info.get(name, "ok") == "ok")


def read() -> PersistenceState:
    """The state of the server in use (of a cluster: of its first primary); or client.UNAVAILABLE."""
    connected = client.get()
    info: dict[str, Any] = {}
    for section in ("server", "memory", "persistence"):
        info |= first_server(connected.info(section))
    seconds, _microseconds = (
        connected.time() if not client.is_cluster(connected) else _cluster_time(connected)
    )
    return PersistenceState(_read_settings(connected), info, datetime.fromtimestamp(int(seconds), UTC))


def _cluster_time(connected: Any) -> tuple[int, int]:
    answers = connected.time()
    return cast(tuple[int, int], next(iter(answers.values())) if isinstance(answers, dict) else answers)


def _read_settings(connected: Any) -> dict[str, str]:
    try:
        return cast(dict[str, str], connected.config_get(*SETTINGS))
    except ResponseError:
        return {}
