import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
import redis
from pytest_django import Settings

from apps.demo import embedded_redis
from apps.redis_kit import addresses, client, cluster_nodes
from tests.races import Race
from tests.redis_kit import keys
from tests.redis_kit.locks.lock_waiters import retry_until_available
from tests.redis_kit.streams.stream_worker import Children
from tests.timing import best_seconds, measure_seconds

pytestmark = pytest.mark.one_server("its pool, its deadline, its socket")


@pytest.fixture
def connections_at(settings: Settings) -> Iterator[Callable[..., None]]:
    """connections_at(url) points every named connection there until the test ends."""
    there = settings.REDIS_CONNECTIONS

    def point(url: str, **options: object) -> None:
        settings.REDIS_CONNECTIONS = {"default": {**there["default"], "url": url, **options}}
        client.close_all()

    yield point
    settings.REDIS_CONNECTIONS = there
    client.close_all()


def test_a_call_has_a_deadline(frozen_redis: redis.Redis) -> None:
    def ask() -> None:
        with pytest.raises(client.UNAVAILABLE):
            frozen_redis.get("anything")

    assert best_seconds(ask, below=1) < 1


def test_many_waiting_calls_have_it_too(frozen_redis: redis.Redis, race: Race) -> None:
    def ask() -> None:
        answers = race(100, lambda _: frozen_redis.get("anything"))
        assert all(isinstance(answer, client.UNAVAILABLE) for answer in answers)

    # One after the other they would take a deadline each: fifty seconds.
    assert measure_seconds(ask) < 20


def test_redis_is_asked_again_as_soon_as_it_is_back(
    frozen_redis: redis.Redis, redis_server: embedded_redis.Server
) -> None:
    with pytest.raises(client.UNAVAILABLE):
        frozen_redis.get("anything")
    os.kill(redis_server.pid, signal.SIGCONT)
    assert retry_until_available(frozen_redis.ping)


def test_a_write_whose_answer_is_late_is_sent_once(
    frozen_redis: redis.Redis, redis_server: embedded_redis.Server
) -> None:
    with pytest.raises(client.UNAVAILABLE):
        frozen_redis.incr(keys.COUNTER(name="late"))
    os.kill(redis_server.pid, signal.SIGCONT)
    assert int(str(retry_until_available(lambda: frozen_redis.get(keys.COUNTER(name="late")) or 0))) <= 1


def test_a_pool_is_bounded_and_its_wait_too(
    connections_at: Callable[..., None], guarded_redis: redis.Redis
) -> None:
    connections_at(client._options("default")["url"], connections=2, deadline=0.5)
    narrow = client.get()
    held = [retry_until_available(narrow.connection_pool.get_connection) for _ in range(2)]

    def ask() -> None:
        with pytest.raises(client.UNAVAILABLE):
            narrow.ping()

    assert 0.3 < best_seconds(ask, below=1) < 1
    for connection in held:
        narrow.connection_pool.release(connection)
    assert retry_until_available(narrow.ping)


def test_half_an_answer_is_never_taken_for_the_next_one(connections_at: Callable[..., None]) -> None:
    """The server of this test answers each first GET with half a frame, then falls silent."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_halves, args=[listener], daemon=True).start()
    connections_at(f"redis://127.0.0.1:{listener.getsockname()[1]}", deadline=0.1)
    half = client.get()
    for _ in range(3):
        with pytest.raises(client.UNAVAILABLE):
            half.get("a")
    listener.close()


def serve_halves(listener: socket.socket) -> None:
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=answer_half, args=[peer], daemon=True).start()


def answer_half(peer: socket.socket) -> None:
    with peer:
        while asked := peer.recv(4096):
            commands = asked.count(b"CLIENT") or asked.count(b"SELECT")
            peer.sendall(b"+OK\r\n" * commands if commands else b"$5\r\nfi")


def test_a_forked_child_shares_no_connection(children: Children, guarded_redis: redis.Redis) -> None:
    ours, theirs = keys.COUNTER(name="parent"), keys.COUNTER(name="child")
    guarded_redis.mset({ours: "parent", theirs: "child"})

    def read_theirs() -> None:
        assert all(client.get().get(theirs) == "child" for _ in range(500))

    child = children.start(read_theirs)
    assert all(client.get().get(ours) == "parent" for _ in range(500))
    assert children.ending(child) == 0


def test_every_event_loop_has_an_async_client_of_its_own(guarded_redis: redis.Redis) -> None:
    async def add() -> int:
        assert client.aget() is client.aget()
        added = await client.aget().incr(keys.COUNTER(name="loops"))
        await client.aget().aclose()
        return int(added)

    assert [asyncio.run(add()) for _ in range(3)] == [1, 2, 3]


def test_names_have_one_client_each() -> None:
    assert client.get() is client.get()
    assert client.get() is not client.get("blocking")


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(LookupError, match="'nonsense' in settings"):
        client.get("nonsense")


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("redis://h:1/2", ("single", [], "")),
        ("unix:///var/redis.sock?db=3", ("single", [], "")),
        ("redis+cluster://h1:7000,h2:7001", ("cluster", [("h1", 7000), ("h2", 7001)], "")),
        ("redis+sentinel://h1:1,h2:2/0?service=main", ("sentinel", [("h1", 1), ("h2", 2)], "main")),
        ("redis+sentinel://user:word@h1:1", ("sentinel", [("h1", 1)], "mymaster")),
    ],
)
def test_a_url_says_what_kind_of_server_it_is(url: str, parsed: tuple[object, ...]) -> None:
    there = addresses.parse(url)
    assert (there.kind, there.nodes, there.service) == parsed


def test_a_url_has_the_logins_of_servers_and_of_sentinels() -> None:
    there = addresses.parse("redis+sentinel://us%40er:w%2Ford@h1:1/2?sentinel_user=s&sentinel_password=p%40")
    assert there.login == {"username": "us@er", "password": "w/ord", "db": 2}
    assert there.sentinel_login == {"username": "s", "password": "p@"}
    assert addresses.parse("redis+cluster://:word@h1:1,[::1]:2").login == {
        "username": None,
        "password": "word",
    }
    assert addresses.parse("redis+cluster://:word@h1:1,[::1]:2").nodes == [("h1", 1), ("::1", 2)]


def test_a_url_of_several_addresses_in_brackets_is_read_whatever_python_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As of CVE-2024-11168, which Debian's 3.11.2 has mended and 3.11.7 not."""

    def split(url: str) -> Any:
        assert "[" not in url, "Invalid IPv6 URL"
        return urlsplit(url)

    monkeypatch.setattr(addresses, "urlsplit", split)
    there = addresses.parse("redis+sentinel://:word@[::1]:1,[::2]:2/3?service=main")
    assert (there.nodes, there.service, there.login["db"]) == ([("::1", 1), ("::2", 2)], "main", 3)
    assert addresses.hide_passwords(there.url) == "redis+sentinel://***@[::1]:1,[::2]:2/3?service=main"


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://h1",
        "redis+sentinel://h1:1/x",
        "rediss+sentinel://h1:x",
        "redis://h1:1/x",
        "redis+cluster://h1:99999",
        "redis+cluster://:hidden/word@h1:7000",
        "redis+sentinel://:12/hidden@h1:26379/0",
    ],
)
def test_a_url_that_would_be_misread_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="REDIS_URL") as refused:
        addresses.parse(url)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "visible"),
    [
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("redis://:hidden@host:6379/0", "redis://***@host:6379/0"),
        ("rediss://me:hid@den@host/0", "rediss://***@host/0"),
        ("redis://hidden@host", "redis://***@host"),
        ("redis://host/?password=hidden&db=2", "redis://host/?password=***&db=2"),
        ("unix://:hidden@/var/redis.sock?db=3", "unix://***@/var/redis.sock?db=3"),
        (
            "redis+sentinel://me:hidden@h1:1,h2:2/0?service=main&sentinel_password=hidden",
            "redis+sentinel://***@h1:1,h2:2/0?service=main&sentinel_password=***",
        ),
        ("redis://:hidden@[::1", "***"),
    ],
)
def test_a_url_is_written_without_its_passwords(url: str, visible: str) -> None:
    assert addresses.hide_passwords(url) == visible


def test_an_unknown_scheme_is_told(connections_at: Callable[..., None]) -> None:
    connections_at("redis+nonsense://h:1")
    with pytest.raises(ValueError, match="use redis, rediss, unix, redis"):
        client.get()


def test_what_is_not_text_comes_back_marked(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(keys.COUNTER(name="bytes"), b"a\xff")
    assert guarded_redis.get(keys.COUNTER(name="bytes")) == "a\ufffd"


async def test_a_connection_of_a_node_that_another_closed_is_lost() -> None:
    """What redis-py does between the steps of a caller, after an error of another."""
    connection = cluster_nodes.NodeConnection()
    connection._reader = connection._writer = cast(Any, object())
    with pytest.raises(redis.ConnectionError, match="another caller"):
        await connection.send_packed_command([b"PING"], check_health=False)
    cast(Any, connection._parser)._connected = True
    with pytest.raises(redis.ConnectionError, match="another caller"):
        await connection.read_response()
