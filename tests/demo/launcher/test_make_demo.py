"""`make demo` as a person sees it: one start, one page, one Ctrl-C."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
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
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment = inherited | unset | {"VAR_DIR": str(place), "PORT": str(port), "SHOPS": "60"} | variables
    with log.open("ab") as output:
        demo = subprocess.Popen(
            [sys.executable, "-m", "apps.demo.launcher"],
            cwd=ROOT,
            env={"DATABASE_URL": f"sqlite:///{place}/savor.sqlite3"} | environment,
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
    process = start(made, port, log, SHOPS="")
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


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TIME_ZONE", "Mars", "TIME_ZONE is Mars, and there is no such time zone"),
        ("DATABASE_URL", "nonsense", "DATABASE_URL is not the URL of SQLite or PostgreSQL"),
        ("DATABASE_URL", "postgres://me:hidden@127.0.0.1:1/savor", "the database can't be used"),
        ("REDIS_URL", "localhost:6379", "REDIS_URL is not the URL of a Redis server"),
        ("REDIS_URL", "redis://:hidden@127.0.0.1:1/0", "Redis at redis://***@127.0.0.1:1/0 can't be used"),
        ("SHOPS", "20", "SHOPS must be a number from 50"),
    ],
)
def test_a_demo_that_cannot_start_says_why_in_one_sentence(
    tmp_path: Path, name: str, value: str, sentence: str
) -> None:
    log = tmp_path / "log"
    assert start(tmp_path / "var", free_port(), log, **{name: value}).wait(120) == 1
    [line] = [line for line in log.read_text().splitlines() if line.startswith("make demo: ")]
    assert sentence in line
    assert "hidden" not in log.read_text()
    assert "Traceback" not in log.read_text()


def test_a_demo_opens_ends_and_opens_again(demo: RunningDemo) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{demo.port}/", timeout=120) as page:
        assert page.status == 200


def test_a_demo_keeps_the_size_of_its_city(demo: RunningDemo) -> None:
    with closing(sqlite3.connect(demo.place / "savor.sqlite3")) as connected:
        assert connected.execute("SELECT COUNT(*) FROM shops_shop").fetchone() == (60,)


def test_after_a_stop_in_order_no_sale_is_lost(demo: RunningDemo) -> None:
    assert "may have lost" not in demo.log.read_text()
    with closing(sqlite3.connect(demo.place / "savor.sqlite3")) as connected:
        lost = "SELECT COUNT(*) FROM coupons_flashsale WHERE lost_at IS NOT NULL"
        assert connected.execute(lost).fetchone() == (0,)


def test_the_first_line_of_a_demo_is_its_own(made: Path) -> None:
    first = (made.parent / "log").read_text().lstrip().splitlines()[0]
    assert not re.search("warning|overcommit", first, re.IGNORECASE), first


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
