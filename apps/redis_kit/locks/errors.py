"""Errors of locks: redis-py's own, so that one `except LockError` catches both, and two more."""

from redis.exceptions import LockError, LockNotOwnedError

__all__ = ["LockError", "LockNotOwnedError", "NotAcquired", "UpgradeRefused"]


class NotAcquired(LockError):  # noqa: N818 - says what happened
    """Another process held it until the wait was over."""


class UpgradeRefused(LockError):  # noqa: N818 - says what happened
    """A reader asked to write: two readers that did so would wait for each other without end."""
