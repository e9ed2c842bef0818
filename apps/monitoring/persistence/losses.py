"""What each persistence setting would lose here, in seconds, and what is wrong with ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from apps.monitoring.persistence.measurements import Measurement
from apps.monitoring.persistence.server_state import PersistenceState

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

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
