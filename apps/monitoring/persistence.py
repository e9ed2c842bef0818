"""What the server in use keeps on disk: settings, saves, the disk's lag, and what each setting would lose."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from redis.exceptions import ResponseError

from apps.monitoring import keys
from apps.monitoring.redis_facts import first_server
from apps.redis_kit import client

SETTINGS = ("appendonly", "appendfsync", "save", "maxmemory-policy", "auto-aof-rewrite-percentage")

#: Seconds until Linux writes out what an application has written (vm.dirty_expire_centisecs).
KERNEL_WRITE_SECONDS = 30.0
#: Redis lets writes go on for two seconds while an fsync of the last one runs.
MAX_EVERYSEC_SECONDS = 2.0
#: A 99th percentile past which a disk counts as slow for `always`.
SLOW_DISK_MS = 10.0
MODES: Mapping[str, tuple["StrPromise", str]] = {
    "none": (_("No persistence"), 'save "", appendonly no'),
    "rdb": (_("Snapshots (RDB)"), "save …, appendonly no"),
    "no": (_("Append-only file, written when the system likes"), "appendonly yes, appendfsync no"),
    "everysec": (_("Append-only file, on disk each second"), "appendonly yes, appendfsync everysec"),
    "always": (_("Append-only file, on disk before the answer"), "appendonly yes, appendfsync always"),
}


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


def read_state() -> PersistenceState:
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


@dataclass(frozen=True)
class Measurement:
    """One setting on this machine's disk: speed, and what a kill -9 right after the last answer lost."""

    mode: str
    claims_per_second: float
    p99_ms: float
    accepted: int
    lost: int


@dataclass(frozen=True)
class Report:
    """The measurements by setting, and when they were made."""

    measured_at: datetime
    by_mode: dict[str, Measurement]


NOTHING_MEASURED: dict[str, Measurement] = {}


def save(measurements: list[Measurement]) -> None:
    """Keep the measurements in place of the last ones."""
    report = {"measured_at": timezone.now().isoformat(), "rows": [asdict(row) for row in measurements]}
    client.get().set(keys.PERSISTENCE(), json.dumps(report))


def read_measurements() -> Report | None:
    """The last measurements, or None; raises client.UNAVAILABLE."""
    raw = client.get().get(keys.PERSISTENCE())
    try:
        report = json.loads(raw) if raw else None
        rows = [Measurement(**row) for row in report["rows"]] if report else []
        measured_at = datetime.fromisoformat(report["measured_at"]) if report else None
    except (ValueError, TypeError, KeyError):
        return None
    return Report(measured_at, {row.mode: row for row in rows}) if measured_at else None


if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise


@dataclass(frozen=True)
class Loss:
    """One setting: what a power cut now would lose at most, and what was measured; None is not measured."""

    mode: str
    is_current: bool
    seconds: float
    measurement: Measurement | None

    @property
    def title(self) -> "StrPromise":
        return MODES[self.mode][0]

    @property
    def directives(self) -> str:
        return MODES[self.mode][1]


def list_losses(state: PersistenceState, measured: Mapping[str, Measurement]) -> list[Loss]:
    """A row for each setting, from nothing on disk to everything before the answer."""
    return [Loss(mode, mode == state.mode, _lost_seconds(mode, state), measured.get(mode)) for mode in MODES]


def _lost_seconds(mode: str, state: PersistenceState) -> float:
    """Seconds of writes that a power cut at this moment loses at most."""
    if mode == "none":
        return float(max(state.number("uptime_in_seconds"), 0))
    if mode == "rdb":
        return max(state.seconds_since_save, 0.0)
    return {"no": KERNEL_WRITE_SECONDS, "everysec": MAX_EVERYSEC_SECONDS, "always": 0.0}[mode]


def list_warnings(state: PersistenceState, measured: Mapping[str, Measurement]) -> list["StrPromise"]:
    """Sentences about what should not stay as it is, the worst first."""
    found = []
    if state.policy and state.policy != "noeviction":
        found.append(_("maxmemory-policy is not noeviction: a full server throws away records of sales."))
    if not state.has_aof:
        found.append(_("There is no append-only file: a crash loses everything since the last snapshot."))
    if not state.is_ok("aof_last_write_status"):
        found.append(_("The append-only file can't be written: is the disk full?"))
    if not state.is_ok("aof_last_bgrewrite_status"):
        found.append(_("The last rewrite of the append-only file failed: it grows until one succeeds."))
    if not state.is_ok("rdb_last_bgsave_status"):
        found.append(_("The last snapshot failed."))
    # One that is pending now is no sign: each second has one.
    if state.number("aof_delayed_fsync") > 0:
        found.append(_("The disk is behind: writes have waited for it, and up to two seconds may be lost."))
    slow = measured.get("always")
    if state.fsync == "always" and slow and slow.p99_ms > SLOW_DISK_MS:
        found.append(_("appendfsync is always, and this disk is slow: one claim in a hundred waits for it."))
    return found
