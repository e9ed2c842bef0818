"""What a running site holds: memory and open files of each process, Redis's memory and keys, bytes of log."""

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis

from tests.sites import Site


@dataclass(frozen=True)
class Usage:
    """Bytes of memory and open files by process name, children included; Redis is one of them."""

    memory: dict[str, int] = field(default_factory=dict)
    open_files: dict[str, int] = field(default_factory=dict)
    #: Of Redis, as it counts itself; 0 when it doesn't answer.
    redis_bytes: int = 0
    redis_keys: int = 0
    log_bytes: int = 0


def read_usage(site: Site) -> Usage:
    """What the site's processes hold now."""
    pids = {name: process.pid for name, process in site.processes.items()} | {"redis": site.redis.pid}
    families = {name: list(_family(pid)) for name, pid in pids.items()}
    redis_bytes, redis_keys = _read_redis(site)
    return Usage(
        {name: sum(map(_memory, family)) for name, family in families.items()},
        {name: sum(map(_open_files, family)) for name, family in families.items()},
        redis_bytes,
        redis_keys,
        sum(log.stat().st_size for log in site.directory.glob("*.log")),
    )


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                found += _family(int(child))
    return found


def _memory(pid: int) -> int:
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024
    return 0


def _open_files(pid: int) -> int:
    with suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


def _read_redis(site: Site) -> tuple[int, int]:
    with suppress(redis.RedisError), redis.Redis.from_url(site.redis_url, socket_timeout=2) as connected:
        memory = connected.info("memory")
        assert isinstance(memory, dict)
        return int(memory["used_memory"]), int(str(connected.dbsize()))
    return 0, 0
