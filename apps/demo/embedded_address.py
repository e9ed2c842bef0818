"""Where the embedded Redis server of a data directory listens: its socket and the URLs of it.

Settings read this in every process, so it imports neither a Redis client nor the server's wheel.
"""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

#: sockaddr_un holds 108 bytes on Linux and 104 on macOS, the final zero included.
SOCKET_PATH_LIMIT = 100


def socket_path(directory: Path) -> Path:
    """The server's unix socket: inside `directory`, or in /tmp when that path is too long."""
    inside = directory / "redis.sock"
    if len(os.fsencode(inside)) <= SOCKET_PATH_LIMIT:
        return inside
    digest = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    # embedded_redis makes this directory private, or refuses one of another user.
    return Path(f"/tmp/savor-{os.getuid()}") / f"{digest}.sock"  # noqa: S108


def url(directory: Path, *, db: int = 0) -> str:
    """The connection URL of the directory's server, as redis-py reads it."""
    return f"unix://{quote(str(socket_path(directory)))}?db={db}"


def broker_url(directory: Path, *, db: int) -> str:
    """The URL of the directory's server as Celery's broker."""
    return f"redis+socket://{quote(str(socket_path(directory)))}?virtual_host={db}"
