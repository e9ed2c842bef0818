"""The socket path and the URLs of the embedded Redis server of a data directory.

Settings read this in every process, so it imports neither a Redis client nor the server's wheel.
"""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

#: Most bytes of a socket path: sockaddr_un has 108 on Linux and 104 on macOS, the final zero included.
SOCKET_PATH_LIMIT = 100


def socket_path(directory: Path) -> Path:
    """Return the path of the server's unix socket: in `directory`, or in /tmp when that path is too long."""
    inside = directory / "redis.sock"
    if len(os.fsencode(inside)) <= SOCKET_PATH_LIMIT:
        return inside
    digest = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    # embedded_redis makes this directory private, and refuses a directory of another user.
    return Path(f"/tmp/savor-{os.getuid()}") / f"{digest}.sock"  # noqa: S108


def url(directory: Path, *, db: int = 0) -> str:
    """Return the URL of the directory's server for redis-py."""
    return f"unix://{quote(str(socket_path(directory)))}?db={db}"


def broker_url(directory: Path, *, db: int) -> str:
    """Return the URL of the directory's server for Celery, as its broker."""
    return f"redis+socket://{quote(str(socket_path(directory)))}?virtual_host={db}"
