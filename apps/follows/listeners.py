"""What higher apps do when one person follows another, or no longer does: called after the commit."""

import logging
from collections.abc import Callable, Sequence

#: (follower's id, followee's id).
Listener = Callable[[int, int], object]

_on_follow: list[Listener] = []
_on_unfollow: list[Listener] = []
log = logging.getLogger(__name__)


def on_follow(listener: Listener) -> None:
    """Call `listener(follower_id, followee_id)` after each new follow."""
    if listener not in _on_follow:
        _on_follow.append(listener)


def on_unfollow(listener: Listener) -> None:
    """Call `listener(follower_id, followee_id)` after each follow that ended."""
    if listener not in _on_unfollow:
        _on_unfollow.append(listener)


def unregister(listener: Listener) -> None:
    """Call it no more."""
    for known in (_on_follow, _on_unfollow):
        if listener in known:
            known.remove(listener)


def notify_followed(follower_id: int, followee_id: int) -> None:
    """Tell everybody who asked that a follow began."""
    _call_all(_on_follow, follower_id, followee_id)


def notify_unfollowed(follower_id: int, followee_id: int) -> None:
    """Tell everybody who asked that a follow ended."""
    _call_all(_on_unfollow, follower_id, followee_id)


def _call_all(listeners: Sequence[Listener], follower_id: int, followee_id: int) -> None:
    for listener in listeners:
        try:
            listener(follower_id, followee_id)
        except Exception:  # another app's code: the follow is committed, and the others must hear of it
            log.exception("%s failed on %d and %d", listener, follower_id, followee_id)
