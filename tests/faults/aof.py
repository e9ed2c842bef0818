"""Cuts Redis's append-only file as a power failure would, and starts a server on the cut copy."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from apps.demo import embedded_redis


@dataclass(frozen=True)
class Tail:
    """A server's append-only file: its directory, and the file that still grows."""

    home: Path

    @property
    def growing(self) -> Path:
        """The newest incremental file."""
        return max((self.home / "appendonlydir").glob("*.incr.aof"), key=lambda path: path.stat().st_mtime)

    @property
    def size(self) -> int:
        return self.growing.stat().st_size

    @contextmanager
    def cut_at(self, size: int, place: Path) -> Iterator[str]:
        """Run a server on a copy cut to so many bytes for the block; yield its URL."""
        shutil.copytree(self.home / "appendonlydir", place / "appendonlydir")
        with (place / "appendonlydir" / self.growing.name).open("r+b") as copied:
            copied.truncate(size)
        socket = place / "cut.sock"
        words = ["--port", "0", "--unixsocket", str(socket), "--dir", str(place), "--appendonly", "yes"]
        words += ["--save", "", "--loglevel", "warning", "--aof-load-truncated", "yes"]
        server = subprocess.Popen([embedded_redis.find_binary(), *words], stdout=subprocess.DEVNULL)
        try:
            _wait_for(socket)
            yield f"unix://{socket}?db=0"
        finally:
            server.kill()
            server.wait(60)
            shutil.rmtree(place)
            place.mkdir()


def _wait_for(socket: Path) -> None:
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        try:
            with redis.Redis(unix_socket_path=str(socket)) as connected:
                connected.ping()
                return
        except redis.RedisError:
            time.sleep(0.005)
    raise AssertionError("the cut server does not start")
