"""`make demo` as a person sees it: one start, one page, one Ctrl-C."""

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from apps.demo import embedded_redis
from tests.sites import ROOT, free_port, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(900)]
_started: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """No demo of a test that failed lives on; its children end with it."""
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


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy of that directory; the city isn't made again."""
    return shutil.copytree(made, tmp_path / "var")


def open_and_end(place: Path, log: Path) -> None:
    port = free_port()
    demo = start(place, port, log)
    wait_until(partial(wait_for_text, log, "Consuming orders"), seconds=300, otherwise=f"see {log}")
    assert wait_for_text(log, "Savor is open")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        assert page.status == 200
    demo.send_signal(signal.SIGINT)
    assert demo.wait(60) == 0, log.read_text()
    assert not embedded_redis.is_live(place / "redis")


def test_a_demo_opens_ends_and_opens_again(place: Path, tmp_path: Path) -> None:
    open_and_end(place, tmp_path / "log")


def test_two_demos_run_beside_each_other_and_a_third_is_told(place: Path, tmp_path: Path) -> None:
    places = [place, shutil.copytree(place, tmp_path / "second")]
    logs = [tmp_path / "one.log", tmp_path / "two.log"]
    demos = [start(each, free_port(), log) for each, log in zip(places, logs, strict=True)]
    for log in logs:
        wait_until(partial(wait_for_text, log, "Savor is open"), seconds=300, otherwise=f"see {log}")
    third = tmp_path / "third.log"
    assert start(place, free_port(), third).wait(60) == 1
    assert re.search(r"^make demo: a demo already runs in", third.read_text(), re.MULTILINE)
    assert "Traceback" not in third.read_text()
    for demo in demos:
        demo.send_signal(signal.SIGTERM)
    assert [demo.wait(60) for demo in demos] == [0, 0]


def test_a_restart_of_web_refuses_nobody(place: Path, tmp_path: Path) -> None:
    """The launcher keeps the listener: whoever comes meanwhile waits in line."""
    log, port = tmp_path / "log", free_port()
    demo = start(place, port, log)
    wait_until(partial(wait_for_text, log, "Savor is open"), seconds=300, otherwise=f"see {log}")
    for number in (signal.SIGKILL, signal.SIGTERM):
        os.kill(find_web(port), number)
        # At once, while no process listens.
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=120) as answer:
            assert answer.status == 200
    wait_until(lambda: log.read_text().count("web ended") == 2, seconds=60, otherwise=f"see {log}")
    demo.send_signal(signal.SIGINT)
    assert demo.wait(60) == 0


def find_web(port: int) -> int:
    """The process of uvicorn on that port."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        words = place.read_bytes().split(b"\0") if place.exists() else []
        if f"{port}".encode() in words and b"config.asgi:application" in words:
            return int(place.parent.name)
    raise AssertionError("web doesn't run")
