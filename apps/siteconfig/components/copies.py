"""The changed settings that this process works with, from the copy in Redis that all processes read.

SQL is the truth: the newest row of each component. In Redis a row's number is put before its JSON, so that a
late writer never replaces a newer one. A copy that is not complete is filled from SQL. Every ten seconds a
process fills it anyway, in case whoever made a change could not reach Redis.
"""

import json
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from django.db import DatabaseError

from apps.redis_kit import client, copies, schema, scripts
from apps.redis_kit.findings import Finding
from apps.siteconfig import keys
from apps.siteconfig.models import SettingsChange
from apps.web.registry import Registry

#: The field whose presence says that every component's settings are there.
COMPLETE = "_complete"
#: Seconds between two fillings from SQL by one process.
FILL_SECONDS = 10.0
STORE = scripts.Script("store_newer_settings", package="apps.siteconfig", reply=bool)
#: Functions that are called, in the poller's thread, when this process has taken over other settings.
CHANGED: Registry[Callable[[], None]] = Registry("changed settings")
NOTHING: Mapping[str, Any] = {}
log = logging.getLogger(__name__)


class Copy:
    """The settings of this process by component, each the same object until a change."""

    def __init__(self) -> None:
        self._by_component: dict[str, Mapping[str, Any]] = {}
        self._raw: Mapping[str, str] = {}
        self._fill_due = 0.0

    def overrides_of(self, component: str) -> Mapping[str, Any]:
        """The changed settings of a component."""
        return self._by_component.get(component, NOTHING)

    def load(self, raw: Mapping[str, str]) -> None:
        """Take over what Redis holds; fills it from SQL first when that is due."""
        if COMPLETE not in raw or time.monotonic() >= self._fill_due:
            raw = self._fill() or raw
        if raw == self._raw:
            return
        self._by_component = {
            name: self._by_component[name] if self._raw.get(name) == text else _parse(name, text)
            for name, text in raw.items()
            if name != COMPLETE
        }
        self._raw = raw
        CHANGED.notify()

    def clear(self) -> None:
        """Forget everything, as in a new process."""
        self.__init__()  # type: ignore[misc]

    def fill_soon(self) -> None:
        """Compare with SQL at the next load: Redis may lack a change."""
        self._fill_due = 0.0

    def _fill(self) -> Mapping[str, str] | None:
        """What Redis has once it got what SQL has, or SQL's alone; None while SQL is away."""
        self._fill_due = time.monotonic() + FILL_SECONDS
        try:
            newest = list(SettingsChange.objects.newest())
        except DatabaseError:
            log.exception("settings stay as Redis has them: SQL does not answer")
            return None
        try:
            _store_all(newest)
            return cast(dict[str, str], client.get().hgetall(keys.SETTINGS()))
        except client.UNAVAILABLE as error:
            log.warning("settings are those of SQL, but other processes do not hear of them: %s", error)
            self.fill_soon()
        return {row.component: _encode(row) for row in newest} | {COMPLETE: "1"}


#: The one of this process.
copy = Copy()


def store(change: SettingsChange) -> bool:
    """Put a row's settings into Redis; False when Redis has newer ones. Raises client.UNAVAILABLE."""
    args: list[scripts.Arg] = [change.component, change.number, json.dumps(change.overrides)]
    return STORE(client.get(), keys=[keys.SETTINGS()], args=args)


def rebuild(report: schema.ReportProgress = lambda done, total: None) -> int:
    """Make the copy anew from SQL; returns the number of components with changes."""
    newest = list(SettingsChange.objects.newest())
    # SQL may have come back from a backup that is older than the copy.
    client.get().delete(keys.SETTINGS())
    _store_all(newest)
    report(len(newest), len(newest))
    return len(newest)


def _store_all(newest: Sequence[SettingsChange]) -> None:
    for change in newest:
        store(change)
    client.get().hset(keys.SETTINGS(), COMPLETE, 1)


def _encode(change: SettingsChange) -> str:
    """The text that the script stores."""
    return f"{change.number} {json.dumps(change.overrides)}"


def _parse(component: str, text: str) -> Mapping[str, Any]:
    """The settings in "12 {json}"; none for any other text."""
    try:
        found = json.loads(text.partition(" ")[2])
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    log.error("Redis holds no settings of %s: it keeps its defaults until a minute has passed", component)
    return NOTHING


def _read_copies(owners: Collection[int]) -> dict[int, dict[str, str]]:
    stored = cast(dict[str, str], client.get().hgetall(keys.SETTINGS()))
    is_complete = stored.pop(COMPLETE, None)
    # One that is not complete is no difference: the next process that looks fills it.
    return dict.fromkeys(owners, stored) if is_complete else {}


def _query(owners: Collection[int]) -> dict[int, dict[str, str]]:
    return dict.fromkeys(owners, {row.component: _encode(row) for row in SettingsChange.objects.newest()})


def _describe(_owner: int, actual: dict[str, str], expected: dict[str, str]) -> Iterator[Finding]:
    for name in sorted({name for name, _text in actual.items() ^ expected.items()}):
        texts = actual.get(name, "nothing"), expected.get(name, "nothing")
        yield Finding(f"component {name}", "settings", *texts)


#: Needs no lease: the number before each text orders its writers.
SETTINGS = copies.Copy(
    keys.SETTINGS,
    read_copies=_read_copies,
    query=_query,
    forget=lambda _owners: rebuild(),
    describe=_describe,
)
