"""Observers see every exchange, whichever way it leaves the process, and can't harm it."""

from collections.abc import Iterator

import pytest
import redis
from django.core.cache import cache as django_cache
from pytest_django import Settings

from apps.demo import embedded_address, embedded_redis
from apps.redis_kit import client, observers, scripts, transport
from apps.redis_kit.observers import Exchange
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault
from tests.redis_kit import keys

pytestmark = pytest.mark.one_server("which commands its connections carry, in which order")

KEY = keys.COUNTER(name="observed")
COUNT_UP = scripts.Script("count_up", package="tests.redis_kit", reply=int)


class Recorder:
    """Keeps exchanges as they begin and as they end, those that set up a connection left out."""

    def __init__(self) -> None:
        self.begun: list[Exchange] = []
        self.ended: list[Exchange] = []

    def before(self, exchange: Exchange) -> None:
        if exchange.commands[0][0] not in {"HELLO", "CLIENT", "SELECT", "COMMAND", "CLUSTER"}:
            self.begun.append(exchange)

    def after(self, exchange: Exchange) -> None:
        if exchange in self.begun:
            self.ended.append(exchange)

    @property
    def names(self) -> list[list[str]]:
        """The commands' names of each ended exchange."""
        return [[words[0] for words in exchange.commands] for exchange in self.ended]


class FailingObserver:
    """Raises at each call."""

    calls = 0

    def before(self, exchange: Exchange) -> None:
        self.calls += 1
        raise ValueError("before")

    def after(self, exchange: Exchange) -> None:
        raise ValueError("after")


@pytest.fixture
def recorder(guarded_redis: redis.Redis) -> Iterator[Recorder]:
    made = Recorder()
    observers.add_observer(made)
    yield made
    observers.remove_observer(made)


def test_a_command_is_seen_before_and_after(recorder: Recorder) -> None:
    transport.execute(client.get(), ("SET", KEY, 7))
    assert client.get().get(KEY) == "7"
    assert [exchange.commands for exchange in recorder.ended] == [[["SET", KEY, "7"]], [["GET", KEY]]]
    assert recorder.ended == recorder.begun
    assert all(exchange.seconds > 0 and exchange.error is None for exchange in recorder.ended)
    assert recorder.ended[0].connection == "default"


def test_many_commands_are_one_exchange_with_its_refusals(recorder: Recorder) -> None:
    commands: list[transport.Command] = [("SET", KEY, "x"), ("INCR", KEY), ("GET", KEY)]
    transport.execute_many(client.get(), commands, raise_on_error=False)
    assert recorder.names == [["SET", "INCR", "GET"]]
    assert [type(refusal) for refusal in recorder.ended[0].refusals] == [redis.ResponseError]


def test_pipelines_and_transactions_are_seen(recorder: Recorder) -> None:
    for transaction in (False, True):
        with client.get().pipeline(transaction=transaction) as pipe:
            pipe.set(KEY, 1)
            pipe.incr(KEY)
            pipe.execute()
    assert recorder.names == [["SET", "INCRBY"], ["MULTI", "SET", "INCRBY", "EXEC"]]


def test_a_script_is_seen_as_often_as_it_is_sent(recorder: Recorder) -> None:
    client.get().script_flush()
    COUNT_UP(client.get(), keys=[KEY], args=[1])
    assert recorder.names == [["SCRIPT"], ["EVALSHA"], ["EVAL"]]


def test_pub_sub_and_blocking_reads_are_seen(recorder: Recorder) -> None:
    with client.get("waiting").pubsub() as pubsub:
        pubsub.subscribe("channel")
        pubsub.get_message(timeout=1)
        client.get("blocking").blpop([KEY], timeout=0.01)
        assert recorder.names == [["SUBSCRIBE"], ["BLPOP"]]
    assert [exchange.connection for exchange in recorder.ended[:2]] == ["waiting", "blocking"]
    assert recorder.ended[1].seconds >= 0.01


def test_djangos_cache_is_seen(recorder: Recorder) -> None:
    django_cache.get("absent")
    assert (recorder.names, recorder.ended[0].connection) == ([["GET"]], "cache")


async def test_async_clients_and_transports_are_seen(recorder: Recorder) -> None:
    await client.aget().set(KEY, 7)
    async with client.aget().pipeline(transaction=False) as pipe:
        pipe.incr(KEY)
        pipe.get(KEY)
        await pipe.execute()
    sent = client.async_transport("gateway")
    replies = await sent.execute_many([("LPUSH", KEY, "x"), ("GET", KEY)])
    await client.aclose_all()
    assert replies[1] == "8"
    assert recorder.names == [["SET"], ["INCRBY", "GET"], ["LPUSH", "GET"]]
    assert [exchange.connection for exchange in recorder.ended] == ["default", "default", "gateway"]
    assert len(recorder.ended[2].refusals) == 1


def test_passwords_are_left_out(recorder: Recorder) -> None:
    with pytest.raises(redis.RedisError):
        client.get().execute_command("AUTH", "secret")
    assert recorder.ended[0].commands == [["AUTH"]]


def test_an_exchange_without_a_reply_ends_with_its_error(
    recorder: Recorder, redis_server: embedded_redis.Server, settings: Settings
) -> None:
    configured = settings.REDIS_CONNECTIONS
    with faulty_proxy.run_proxy(embedded_address.socket_path(redis_server.directory)) as proxy:
        settings.REDIS_CONNECTIONS = {"default": configured["default"] | {"url": proxy.url}}
        client.close_all()
        client.get().ping()
        proxy.suffer(Fault.DROP, every=1)
        with pytest.raises(client.UNAVAILABLE):
            client.get().get(KEY)
    settings.REDIS_CONNECTIONS = configured
    client.close_all()
    assert recorder.names == [["PING"], ["GET"]]
    assert isinstance(recorder.ended[1].error, Exception)


def test_an_observer_that_raises_is_removed_and_harms_nothing(
    recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    failing = FailingObserver()
    observers.add_observer(failing)
    client.get().set(KEY, 7)
    assert client.get().get(KEY) == "7"
    assert failing.calls == 1
    assert recorder.names == [["SET"], ["GET"]]
    assert "a Redis observer failed" in caplog.text


def test_an_observer_can_come_and_go_in_the_middle_of_an_exchange(recorder: Recorder) -> None:
    pool = client.get().connection_pool
    connection = pool.get_connection()
    connection.send_command("PING")
    observers.remove_observer(recorder)
    assert connection.read_response() == "PONG"
    connection.send_command("PING")
    observers.add_observer(recorder)
    assert connection.read_response() == "PONG"
    pool.release(connection)
    assert len(recorder.begun) == 1
