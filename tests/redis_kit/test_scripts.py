import pytest
import redis

from apps.redis_kit import client, scripts, transport
from tests.redis_kit import keys

COUNT_UP = scripts.Script("count_up", package="tests.redis_kit", reply=int)
KEY = keys.COUNTER(name="scripts")


def test_a_file_is_a_typed_call(guarded_redis: redis.Redis) -> None:
    assert [COUNT_UP(guarded_redis, keys=[KEY], args=[2]) for _ in range(3)] == [2, 4, 6]


def test_a_script_calls_its_parts_by_name(guarded_redis: redis.Redis) -> None:
    both = scripts.Script("count_both", package="tests.redis_kit", reply=list, parts=(COUNT_UP,))
    other = keys.COUNTER(name="other")
    COUNT_UP(guarded_redis, keys=[other], args=[5])
    assert [both(guarded_redis, keys=[KEY, other], args=[2]) for _ in range(2)] == [[2, 7], [4, 9]]
    with pytest.raises(TypeError, match="takes 2 keys"):
        both(guarded_redis, keys=[KEY], args=[2])


def test_a_flushed_script_runs_once_more_not_twice(guarded_redis: redis.Redis) -> None:
    COUNT_UP(guarded_redis, keys=[KEY], args=[1])
    guarded_redis.script_flush()
    assert COUNT_UP(guarded_redis, keys=[KEY], args=[1]) == 2


def test_verbs_that_go_together_share_their_round_trips(
    guarded_redis: redis.Redis, round_trips: list[object]
) -> None:
    def count_down(key: str, begin: int) -> transport.Steps[list[int]]:
        found = []
        for number in range(begin, 0, -1):
            (count,), (value,) = yield from COUNT_UP.steps([([key], [number])], also=[("GET", key)])
            found += [count, int(value)]
        return found

    names = [keys.COUNTER(name=str(number)) for number in range(3)]
    guarded_redis.script_flush()
    assert transport.run_together(guarded_redis, [COUNT_UP.steps([([KEY], [4])])]) == [([4], [])]
    round_trips.clear()
    verbs = [count_down(name, begin) for name, begin in zip(names, (2, 0, 3), strict=True)]
    assert transport.run_together(guarded_redis, verbs) == [[2, 2, 3, 3], [], [3, 3, 5, 5, 6, 6]]
    assert len(round_trips) == 3
    guarded_redis.set(names[0], "words")
    with pytest.raises(redis.ResponseError, match="not an integer"):
        transport.run_together(guarded_redis, [count_down(names[0], 1)])


async def test_an_async_call_survives_a_flush_too(guarded_redis: redis.Redis) -> None:
    guarded_redis.script_flush()
    connected = client.aget()
    answers = [await COUNT_UP.acall(connected, keys=[KEY], args=[1]) for _ in range(2)]
    await connected.aclose()
    assert answers == [1, 2]


async def test_many_async_calls_are_one_exchange(guarded_redis: redis.Redis) -> None:
    names = [keys.COUNTER(name=str(number)) for number in range(20)]
    guarded_redis.script_flush()
    answers = await COUNT_UP.acall_many(client.async_transport(), [([KEY], [1])] * 3)
    before = guarded_redis.info("stats")["total_reads_processed"]
    answers += await COUNT_UP.acall_many(client.async_transport(), [([name], [3]) for name in names])
    assert guarded_redis.info("stats")["total_reads_processed"] - before <= 2
    guarded_redis.set(KEY, "words")
    with pytest.raises(redis.ResponseError, match="not an integer"):
        await COUNT_UP.acall_many(client.async_transport(), [([KEY], [1])])
    await client.aclose_all()
    assert answers == [1, 2, 3] + [3] * 20


def test_in_a_pipeline_it_needs_nothing_loaded(guarded_redis: redis.Redis) -> None:
    guarded_redis.script_flush()
    with guarded_redis.pipeline() as pipe:
        pipe.set(KEY, 10)
        COUNT_UP.queue(pipe, keys=[KEY], args=[1])
        answers = pipe.execute()
    assert COUNT_UP.parse(answers[1]) == 11


@pytest.mark.one_server("trips to it are counted")
def test_many_calls_take_one_round_trip(guarded_redis: redis.Redis) -> None:
    names = [keys.COUNTER(name=str(number)) for number in range(20)]
    COUNT_UP(guarded_redis, keys=[KEY], args=[1])
    before = guarded_redis.info("stats")["total_reads_processed"]
    answers, also = COUNT_UP.call_many(guarded_redis, [([name], [3]) for name in names], also=[("GET", KEY)])
    assert (answers, also) == ([3] * 20, ["1"])
    assert guarded_redis.info("stats")["total_reads_processed"] - before <= 3


def test_many_calls_after_a_flush_run_once_each(guarded_redis: redis.Redis) -> None:
    guarded_redis.script_flush()
    answers, _ = COUNT_UP.call_many(guarded_redis, [([KEY], [1])] * 3, also=[("INCR", KEY)])
    assert sorted(answers) == [2, 3, 4]


def test_an_error_in_one_of_many_calls_is_raised(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(KEY, "words")
    with pytest.raises(redis.ResponseError, match="not an integer"):
        COUNT_UP.call_many(guarded_redis, [([KEY], [1])])


@pytest.mark.parametrize("names", [[], [KEY, KEY]])
def test_a_wrong_number_of_keys_fails_before_it_is_sent(names: list[str], guarded_redis: redis.Redis) -> None:
    with pytest.raises(TypeError, match="takes 1 keys"):
        COUNT_UP(guarded_redis, keys=names, args=[1])
    with guarded_redis.pipeline() as pipe, pytest.raises(TypeError, match="takes 1 keys"):
        COUNT_UP.queue(pipe, keys=names, args=[1])


@pytest.mark.usefixtures("redis_away")
def test_nothing_connects_when_a_script_is_made() -> None:
    assert scripts.Script("count_up", package="tests.redis_kit", reply=int).key_count == 1
