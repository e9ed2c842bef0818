"""A Redis server for one measurement: a directory, one persistence setting, kill -9 and start again."""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from redis.exceptions import RedisError

from apps.demo import embedded_redis
from apps.redis_kit import client

#: Seconds for a start with loading what is on disk.
START_SECONDS = 30.0
PING_SECONDS = 1.0


class ScratchServer:
    """A server in a directory; `options` are its directives."""

    def __init__(self, directory: Path, options: Mapping[str, str]) -> None:
        self._directory, self._options = directory, options
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://{directory / 's.sock'}"

    def start(self) -> None:
        """Start it with what its directory holds; returns when it takes commands."""
        directives = {
            "port": "0",
            "unixsocket": str(self._directory / "s.sock"),
            "dir": str(self._directory),
            "daemonize": "no",
            "loglevel": "warning",
            "logfile": str(self._directory / "server.log"),
            **self._options,
        }
        words = [word for name, value in directives.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen([str(embedded_redis.find_binary()), *words])
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.kill()
                raise embedded_redis.EmbeddedRedisError(
                    f"the server for the measurement did not start: see {self._directory / 'server.log'}"
                )
            time.sleep(0.02)

    def kill(self) -> None:
        """End it with SIGKILL; again is fine."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            client.ping(self.url, deadline=PING_SECONDS)
        except (RedisError, OSError):
            return False
        return True
