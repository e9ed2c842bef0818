"""`make demo` as a person sees it: one start, one page, one Ctrl-C."""

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from apps.demo import embedded_redis
from tests.sites import ROOT, free_port, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(900)]
_started: list[subprocess.Popen[bytes]] = []


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """No demo of a test that failed lives on after the last test; its children end with it."""
    yield
    while _started:
        demo = _started.pop()
        demo.kill()
        demo.wait()


def start(place: Path, port: int, log: Path, **variables: str) -> subprocess.Popen[bytes]:
    """`make demo` without its installing half; REDIS_URL and DATABASE_URL as on a fresh machine."""
    unset = {"REDIS_URL": "", "CELERY_BROKER_URL": "", "SECURE": "0", "DJANGO_SETTINGS_MODULE": ""}
    environment = os.environ | unset | {"VAR_DIR": str(place), "PORT": str(port), "SHOPS": "60"} | variables
    with log.open("ab") as output:
        demo = subprocess.Popen(
            [sys.executable, "-m", "apps.demo.launcher"],
            cwd=ROOT,
            env=environment | {"DATABASE_URL": f"sqlite:///{place}/savor.sqlite3"},
            stdout=output,
            stderr=output,
        )
    _started.append(demo)
    return demo


def wait_for_text(log: Path, words: str) -> bool:
    return words in log.read_text()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that a demo has made, before it was ended by Ctrl-C."""
    base = tmp_path_factory.mktemp("made")
    open_and_end(base / "var", base / "log")
    return base / "var"


@dataclass(frozen=True)
class RunningDemo:
    """A demo that is open, what it prints, and where it is."""

    process: subprocess.Popen[bytes]
    place: Path
    port: int
    log: Path


@pytest.fixture(scope="module")
def beside(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of that directory."""
    return shutil.copytree(made, tmp_path_factory.mktemp("beside") / "var")


@pytest.fixture(scope="module")
def demo(made: Path, beside: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDemo]:
    """The demo of that directory, opened again after it was copied; at the end Ctrl-C ends it."""
    log, port = tmp_path_factory.mktemp("demo") / "log", free_port()
    process = start(made, port, log)
    wait_until(partial(wait_for_text, log, "Savor is open"), seconds=300, otherwise=f"see {log}")
    yield RunningDemo(process, made, port, log)
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0, log.read_text()


def open_and_end(place: Path, log: Path) -> None:
    port = free_port()
    demo = start(place, port, log)
    wait_until(partial(wait_for_text, log, "Consuming orders"), seconds=300, otherwise=f"see {log}")
    assert wait_for_text(log, "Savor is open")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        assert page.status == 200
    demo.send_signal(signal.SIGINT)
    assert demo.wait(120) == 0, log.read_text()
    assert not embedded_redis.is_live(place / "redis")


def test_a_demo_opens_ends_and_opens_again(demo: RunningDemo) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{demo.port}/", timeout=120) as page:
        assert page.status == 200


def test_a_second_demo_in_the_same_place_is_told(demo: RunningDemo, tmp_path: Path) -> None:
    second = tmp_path / "log"
    assert start(demo.place, free_port(), second).wait(120) == 1
    assert re.search(r"^make demo: a demo already runs in", second.read_text(), re.MULTILINE)
    assert "Traceback" not in second.read_text()


def test_a_restart_of_web_refuses_nobody(demo: RunningDemo) -> None:
    """The launcher keeps the listener: whoever comes meanwhile waits in line."""
    for number in (signal.SIGKILL, signal.SIGTERM):
        os.kill(find_web(demo.port), number)
        # At once, while no process listens.
        with urllib.request.urlopen(f"http://127.0.0.1:{demo.port}/healthz", timeout=120) as answer:
            assert answer.status == 200
    wait_until(lambda: demo.log.read_text().count("web ended") == 2, seconds=60, otherwise=f"see {demo.log}")


@pytest.mark.long
def test_two_demos_run_beside_each_other(beside: Path, demo: RunningDemo, tmp_path: Path) -> None:
    """While one demo runs, another opens in its own directory and ends."""
    open_and_end(beside, tmp_path / "log")
    assert demo.process.poll() is None


def find_web(port: int) -> int:
    """The process of uvicorn on that port."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        words = place.read_bytes().split(b"\0") if place.exists() else []
        if f"{port}".encode() in words and b"config.asgi:application" in words:
            return int(place.parent.name)
    raise AssertionError("web doesn't run")
