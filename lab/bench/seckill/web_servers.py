"""Starts the servers that are compared: the site's (Procfile), FastAPI (uvicorn), Go, Node, hello worlds."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from honcho.environ import parse_procfile

from lab.bench.seckill import other_languages
from tests.sites import DATABASE, Site, free_port, wait_until

START_SECONDS = 120.0
#: What a consumer prints when it begins.
READY = "Consuming orders"
#: One process, no lifespan messages; the threads are what config.asgi gives Django.
GRANIAN = ["granian", "--loop", "uvloop", "--workers", "1", "--no-ws", "--log-level", "error"]
WSGI = ["--interface", "wsgi", "--blocking-threads", "4"]
ASGI = ["--interface", "asginl"]
#: uvicorn as its users run it fast; httptools parses in C.
UVICORN = ["uvicorn", "--workers", "1", "--loop", "uvloop", "--http", "httptools", "--no-access-log"]


@dataclass(frozen=True)
class Server:
    """A running web server: its URL, and its process group."""

    url: str
    group: int


@contextmanager
def run_savor(site: Site, **environment: str) -> Iterator[Server]:
    """Run the site's web server on a port of its own, with other settings beside the site's."""
    line = parse_procfile((site.root / "Procfile").read_text()).processes["web"]
    with _run_server(["sh", "-c", line], site, environment) as server:
        yield server


@contextmanager
def run_savor_without(site: Site, *promises: str) -> Iterator[Server]:
    """Run the same server without some of its promises (left_out.PROMISES)."""
    line = parse_procfile((site.root / "Procfile").read_text()).processes["web"]
    patched = line.replace("config.asgi:", "lab.bench.seckill.left_out:")
    with _run_server(["sh", "-c", patched], site, {"LEFT_OUT": " ".join(promises)}) as server:
        yield server


@contextmanager
def run_other(site: Site, command: Sequence[str]) -> Iterator[Server]:
    """Run a server in another language, which takes its port and its Redis from the environment."""
    environment = {"REDIS_URL": site.redis_url, "SCRIPT": str(other_languages.SCRIPT)}
    with _run_server(command, site, environment, by_option=False) as server:
        yield server


@contextmanager
def run_consumer(site: Site) -> Iterator[int]:
    """Run the site's order consumer; yield its process group once it consumes."""
    line = parse_procfile((site.root / "Procfile").read_text()).processes["consumer"]
    with _run_until_ready(
        ["sh", "-c", line], site.directory / "consumer.log", site.environment, site
    ) as group:
        yield group


@contextmanager
def run_baseline_consumer(site: Site) -> Iterator[int]:
    """Run the consumer of the other languages' orders beside the site's SQLite; yield its process group."""
    files = {"SITE": str(site.directory / DATABASE), "ROWS": str(site.directory / "baseline.sqlite3")}
    environment = site.environment | files | {"REDIS_URL": site.redis_url}
    command = _module(["lab.bench.seckill.baselines.consumer"])
    with _run_until_ready(command, site.directory / "baseline.log", environment, site) as group:
        yield group


@contextmanager
def _run_until_ready(
    command: Sequence[str], log: Path, environment: dict[str, str], site: Site
) -> Iterator[int]:
    log.unlink(missing_ok=True)
    with _run_process(command, log, environment, site.root) as group:
        wait_until(
            lambda: READY in log.read_text(errors="replace"),
            seconds=START_SECONDS,
            otherwise="the consumer doesn't start",
        )
        yield group


@contextmanager
def run_baseline(site: Site, name: str) -> Iterator[Server]:
    """Run a FastAPI baseline (three_trips, two_trips or one_trip) on the site's Redis."""
    target = [f"lab.bench.seckill.baselines.{name}:app", "--log-level", "warning"]
    with _run_server([*_module(UVICORN), *target], site, {"REDIS_URL": site.redis_url}) as server:
        yield server


@contextmanager
def run_granian(site: Site, target: str, interface: Sequence[str], **environment: str) -> Iterator[Server]:
    """Run another application under granian, with other settings beside the site's."""
    with _run_server([*_module(GRANIAN), *interface, target], site, environment) as server:
        yield server


def _module(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", *words]


@contextmanager
def _run_server(
    command: Sequence[str], site: Site, environment: dict[str, str], *, by_option: bool = True
) -> Iterator[Server]:
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port)] if by_option and command[0] != "sh" else []
    log = site.directory / f"server-{port}.log"
    with _run_process(
        [*command, *options], log, site.environment | environment | {"PORT": str(port)}, site.root
    ) as group:
        wait_until(
            lambda: _listens(port) or not _lives(group),
            seconds=START_SECONDS,
            otherwise=f"{' '.join(command)} is silent",
        )
        assert _lives(group), f"{' '.join(command)} ended: {log.read_text(errors='replace')}"
        yield Server(f"http://127.0.0.1:{port}", group)


@contextmanager
def _run_process(command: Sequence[str], log: Path, environment: dict[str, str], root: Path) -> Iterator[int]:
    """Run a command that ends when this process does, even by SIGKILL; yield its process id."""
    with log.open("ab") as opened:
        process = subprocess.Popen(
            [sys.executable, "-m", "apps.web.child_process", *command],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=opened,
            stderr=opened,
            start_new_session=True,
        )
    try:
        yield process.pid
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process group by SIGTERM, and by SIGKILL after 20 seconds."""
    for how, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return


def _lives(group: int) -> bool:
    try:
        return os.waitid(os.P_PID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
