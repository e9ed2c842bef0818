"""A server that answers and refuses is an outage like any other: one tuple names them all."""

from datetime import timedelta

import pytest
import redis
from django.core.cache import cache as django_cache

from apps.redis_kit import client, limiter, transport
from tests.faults import server_weather
from tests.faults.server_weather import Weather
from tests.redis_kit import keys
from tests.redis_kit.test_scripts import COUNT_UP

pytestmark = pytest.mark.one_server("it refuses every write, or every command")

KEY = keys.COUNTER(name="weather")
ANY_WEATHER = pytest.mark.parametrize(
    "weather",
    [
        server_weather.full_disk,
        server_weather.full_memory,
        server_weather.too_few_replicas,
        server_weather.read_only,
        server_weather.busy_script,
    ],
    ids=lambda weather: weather.__name__,
)


def write_in_transaction(connected: redis.Redis) -> None:
    with connected.pipeline(transaction=True) as pipe:
        pipe.incr(KEY)
        pipe.execute()


@ANY_WEATHER
def test_a_write_finds_redis_unavailable_and_then_works_again(
    guarded_redis: redis.Redis, weather: Weather
) -> None:
    limit = limiter.Limit(name="weather", family="weather", allowed=9, period=timedelta(minutes=1))
    with weather(guarded_redis):
        for write in (
            lambda: guarded_redis.set(KEY, 1),
            lambda: transport.execute_many(guarded_redis, [("TIME",), ("SET", KEY, 1)]),
            lambda: write_in_transaction(guarded_redis),
            lambda: COUNT_UP(guarded_redis, keys=[KEY], args=[1]),
            lambda: limiter.hit([(limit, "alice")]),
        ):
            with pytest.raises(client.UNAVAILABLE):
                write()
        # Django's cache does without, as with any absent Redis.
        django_cache.set("weather", 1)
    assert guarded_redis.set(KEY, 1)


@ANY_WEATHER
async def test_the_event_loop_finds_it_unavailable_too(guarded_redis: redis.Redis, weather: Weather) -> None:
    with weather(guarded_redis):
        try:
            (reply,) = await client.async_transport("gateway").execute_many([("SET", KEY, 1)])
        except client.UNAVAILABLE as error:
            reply = error
        finally:
            await client.aclose_all()
    assert isinstance(reply, client.UNAVAILABLE)


def test_a_command_that_is_wrong_is_no_outage(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(KEY, "text")
    for command in (("HGET", KEY, "field"), ("NONSENSE",), ("XGROUP", "CREATE", KEY, "g", "0")):
        with pytest.raises(redis.ResponseError) as refusal:
            transport.execute(guarded_redis, command)
        assert not isinstance(refusal.value, client.UNAVAILABLE)
