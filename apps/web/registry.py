"""Registries: entries that higher apps add, in their provides.py, to a check or an event of a lower app.

The lower app owns the registry and never imports the apps that fill it. `make plug-points` lists them.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

Entry = TypeVar("Entry")

log = logging.getLogger(__name__)


class Registry(Generic[Entry]):
    """Entries by key, read in the order (order, key). `name` appears in the log when an entry fails."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._entries: dict[str, tuple[int, Entry]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def register(self, entry: Entry, *, key: str = "", order: int = 50) -> None:
        """Add an entry, or replace the one of that key; a function's key is its module and name."""
        key = key or _function_key(entry)
        changed = self._entries | {key: (order, entry)}
        # One assignment of a finished dict: readers on other threads see the old one or the new one.
        self._entries = dict(sorted(changed.items(), key=lambda item: (item[1][0], item[0])))

    def unregister(self, entry: Entry | str) -> None:
        """Remove a function, or the entry of a key; nothing happens when it is not registered."""
        key = entry if isinstance(entry, str) else _function_key(entry)
        self._entries = {known: value for known, value in self._entries.items() if known != key}

    @contextmanager
    def registered(self, entry: Entry, *, key: str = "", order: int = 50) -> Iterator[None]:
        """Register an entry for the length of a `with` block and restore what was there before; for tests."""
        before = self._entries
        self.register(entry, key=key, order=order)
        try:
            yield
        finally:
            self._entries = before

    def get(self, key: str) -> Entry | None:
        """The entry of a key, or None."""
        return self._entries[key][1] if key in self._entries else None

    def entries(self) -> list[Entry]:
        """Every entry in order; a copy."""
        return [entry for _order, entry in self._entries.values()]

    def items(self) -> list[tuple[str, Entry]]:
        """Every key with its entry, in order; a copy."""
        return [(key, entry) for key, (_order, entry) in self._entries.items()]

    def call_each(self, *args: Any) -> Iterator[Any]:
        """Call each entry, which must be a function, and yield what it returns.

        An entry that raises is logged and skipped: one app's fault spoils neither the page nor the others.
        """
        for key, entry in self.items():
            try:
                returned = entry(*args)  # type: ignore[operator]
            except Exception:
                log.exception("%s: %s failed", self.name, key)
                continue
            yield returned

    def notify(self, *args: Any) -> None:
        """Call each entry for its effect; failures are logged."""
        for _returned in self.call_each(*args):
            pass


def _function_key(entry: object) -> str:
    name = getattr(entry, "__qualname__", "")
    if not name:
        raise ValueError(f"{entry!r} is no function: register it with a key")
    return f"{entry.__module__}.{name}"
