"""At most so many at once, between processes.

    with semaphores.semaphore("exports", permits=3, lease=60, wait=10): …

Holders are counted by the server's clock and each has its own lease, so one that dies gives its permit back
when that ends. `extend` refreshes it. Fewer permits than before take effect at once for those who ask.
Source: Redis in Action, section 6.3, without its clocks of hosts.
"""

from apps.redis_kit.locks.lock import Lock


def semaphore(name: str, *, permits: int, lease: float, wait: float | None = None, fair: bool = True) -> Lock:
    """One of `permits` for `lease` seconds; `fair` gives them out in the order of asking."""
    return Lock(f"semaphore:{name}", mode="s", permits=permits, lease=lease, wait=wait, fair=fair)
