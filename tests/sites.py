"""Runs a whole Savor for tests that need real processes: embedded Redis and the lines of the Procfile."""

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Self

from honcho.environ import parse_procfile

from apps.demo import embedded_redis

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0
#: Below those that Linux gives to outgoing connections: one could come before the server listens.
SERVER_PORTS = range(10_000, 32_000)
DATABASE = "savor.sqlite3"
#: What is made of the code alone stays for the next run, in this checkout, for a week after its last use.
KEPT, KEPT_SECONDS = ROOT / "var" / "tests", 7 * 86_400
#: The variable that names a directory of the workers of one run of pytest.
RUN_DIRECTORY = "TEST_RUN_DIRECTORY"
#: What migrate writes besides tables: the groups of roles, whose permissions are in each app's provides.py.
ROLE_SOURCES = (ROOT / "apps/adminkit/roles.py", ROOT / "apps/accounts/staff/role_groups.py")
STATIC_SOURCES = (ROOT / "apps/web/static_storage.py",)
#: What a copy of a site's directory doesn't have: locks and logs of the processes there.
NOT_COPIED = shutil.ignore_patterns("is_done", "lock", "*.lock", "*.log", "*.sock", "logs")


def free_port() -> int:
    """Return a TCP port of loopback on which no process listens now, and that no outgoing connection gets."""
    while True:
        # Not `random`: Hypothesis sets its seed, in parallel processes to the same.
        port = secrets.choice(SERVER_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(
    done: Callable[[], object], *, seconds: float, otherwise: str = "it never came true", every: float = 0.05
) -> None:
    """Call done() every `every` seconds until it is true; after `seconds` raise AssertionError(otherwise)."""
    deadline, nothing = time.monotonic() + seconds, threading.Event()
    while not done():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} seconds: {otherwise}"
        nothing.wait(every)


def make_once(directory: Path, make: Callable[[Path], object]) -> Path:
    """Return the directory that make(directory) has filled: in one process, while the others wait."""
    directory.mkdir(parents=True, exist_ok=True)
    is_done = directory / "is_done"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_done.exists():
            make(directory)
            is_done.touch()
    return directory


@cache
def migrated_database() -> Path:
    """Return a migrated SQLite file: kept between runs, until a migration, a role or a package changes."""
    sources = (*ROOT.glob("apps/*/migrations/*.py"), *ROOT.glob("apps/*/provides.py"), *ROLE_SOURCES)
    return _make_kept("database", sources, ["migrate", "--verbosity=0"]) / DATABASE


@cache
def collected_static() -> Path:
    """Return a directory of static files as the site serves them, kept between runs until one changes."""
    sources = (*ROOT.glob("static/**/*"), *ROOT.glob("apps/*/static/**/*"), *STATIC_SOURCES)
    return _make_kept("static", sources, ["collectstatic", "--noinput", "--verbosity=0"]) / "static"


def _make_kept(name: str, sources: Iterable[Path], command: Sequence[str]) -> Path:
    """Return the VAR_DIR in which a command of manage.py has run, under a digest of what it reads."""
    directory = KEPT / f"{name}-{_digest((*sources, ROOT / 'requirements-dev.lock'))}"
    make_once(directory, lambda made: Site(made).manage(*command))
    directory.touch()
    for other in KEPT.glob(f"{name}-*"):
        if time.time() - other.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
    return directory


def _digest(sources: Iterable[Path]) -> str:
    found = hashlib.sha256(sys.version.encode())
    for path in sorted(path for path in sources if path.is_file()):
        found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


class Site:
    """One VAR_DIR, one port, one Redis; processes by name: "web", "consumer", "consumer-2", "worker".

    `origin` is the directory of a site that has stopped: this one begins with a copy of its data.
    """

    def __init__(
        self, directory: Path, *, port: int = 0, origin: Path | None = None, **environment: str
    ) -> None:
        self.directory, self.root, self._origin = directory.resolve(), ROOT, origin
        self.port = port or free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DEMO": "1",
            "SECURE": "0",
            "FAULT_INJECTION": "1",
            "METRICS": "1",
            "VAR_DIR": str(self.directory),
            "PORT": str(self.port),
            "REDIS_URL": "",
            "CELERY_BROKER_URL": "",
            "DATABASE_URL": f"sqlite:///{self.directory / DATABASE}",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            **environment,
        }

    def __enter__(self) -> Self:
        self.directory.mkdir(parents=True, exist_ok=True)
        if self._origin:
            shutil.copytree(self._origin, self.directory, dirs_exist_ok=True, ignore=NOT_COPIED)
        self.redis = embedded_redis.start(self.directory / "redis")
        if not self._origin:
            self._migrate()
        return self

    def _migrate(self) -> None:
        shutil.copytree(collected_static(), self.directory / "static", dirs_exist_ok=True)
        database = self.directory / DATABASE
        if self.environment["DATABASE_URL"] == f"sqlite:///{database}" and not database.exists():
            shutil.copy(migrated_database(), database)
        else:
            self.manage("migrate", "--verbosity=0")

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.redis.stop()

    @property
    def redis_url(self) -> str:
        """Return the URL of the Redis with the sales: the site's own server, unless it was given another."""
        return self.environment["REDIS_URL"] or self.redis.url

    def manage(self, *words: str) -> str:
        """Return what `manage.py <words>` prints; AssertionError with its output when it fails."""
        done = self.run(*words)
        assert done.returncode == 0, f"manage.py {' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `manage.py <words>` and return the finished process, whatever its exit code."""
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )

    def start(self, *names: str, more: str = "") -> None:
        """Start processes of the Procfile ("consumer-2" is another "consumer") and wait for web.

        `more` is appended to their command lines.
        """
        lines = parse_procfile((self.root / "Procfile").read_text()).processes
        for name in names:
            with (self.directory / f"{name}.log").open("ab") as log:
                self.processes[name] = subprocess.Popen(
                    ["sh", "-c", f"{lines[name.partition('-')[0]]} {more}"],
                    cwd=self.root,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        if "web" in names:
            wait_until(
                self.answers, seconds=START_SECONDS, otherwise=f"the site is silent: {self.log('web')}"
            )

    def answers(self) -> bool:
        """Tell whether /healthz responds with 200."""
        try:
            with urllib.request.urlopen(f"{self.base_url}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def kill(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to a process and its children, and wait until the process has ended."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        process.wait(60)

    def stop(self) -> None:
        """End every process with SIGTERM: all hear of it first, so that they end beside each other."""
        ending, self.processes = list(self.processes.values()), {}
        for process in ending:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in ending:
            process.wait(60)

    def log(self, name: str) -> str:
        """Return what a process has printed."""
        written = self.directory / f"{name}.log"
        return written.read_text(errors="replace") if written.exists() else ""
