"""redis-py's own errors, so that one `except LockError` means both, and what they can't say."""

from redis.exceptions import LockError, LockNotOwnedError

__all__ = ["LockError", "LockNotOwnedError", "NotAcquired", "UpgradeRefused"]


class NotAcquired(LockError):  # noqa: N818 - says what happened
    """Somebody else held it until the wait was over."""


class UpgradeRefused(LockError):  # noqa: N818 - says what happened
    """A reader asked to write: two readers who did that would wait for each other for ever."""
