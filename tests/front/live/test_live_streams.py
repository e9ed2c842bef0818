"""A person's live stream: what it carries, what a client that comes back gets, and when it ends."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from pytest_django.fixtures import Settings
from redis import Redis

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.front import keys, live
from apps.front.live import hub, polled_states
from apps.front.live.route import LiveRoute
from apps.front.live.streams import Stream
from apps.front.live.topics import MAX_EVENTS, person_topic
from apps.redis_kit import client as redis_client
from tests.live_client import LiveClient, cut_subscriptions, run_in_thread, serving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def header(alice: User) -> tuple[str, str]:
    return "authorization", f"Bearer {tokens.issue(alice, kind=AccessToken.Kind.API)}"


def publish(user: User, *numbers: int) -> Awaitable[None]:
    def act() -> None:
        for number in numbers:
            live.publish([user.pk], "mailbox", {"number": number})

    return run_in_thread(act)


def numbers_of(client: LiveClient) -> list[int]:
    return [event.data["number"] for event in client.events if event.name == "mailbox"]


async def open_stream(server: LiveRoute, header: tuple[str, str], last: str = "") -> LiveClient:
    client = LiveClient(server, "/api/live", header, *([("last-event-id", last)] if last else []))
    await client.next("ready")
    return client


@pytest.mark.parametrize("how", ["cookie", "bearer"])
async def test_events_of_a_person_and_of_everybody_arrive_in_order(
    alice: User, bob: User, header: tuple[str, str], how: str
) -> None:
    if how == "cookie":
        header = "cookie", f"savor_token={header[1].removeprefix('Bearer ')}"
    async with serving() as server:
        client = await open_stream(server, header)
        await publish(bob, 9)
        await publish(alice, 1, 2)
        await run_in_thread(lambda: live.publish_to_all("mailbox", {"number": 3}))
        await client.wait_until(lambda: len(numbers_of(client)) == 3)
        # The masters of a Cluster pass messages on at their own pace: the order is that of each topic there.
        is_cluster = redis_client.is_cluster(redis_client.get())
        assert [one for one in numbers_of(client) if one < 3 or not is_cluster] == [1, 2, 3][: 3 - is_cluster]


async def test_two_tabs_hear_the_same_by_one_subscription(alice: User, header: tuple[str, str]) -> None:
    async with serving() as server:
        first, second = await open_stream(server, header), await open_stream(server, header)
        first.leave()
        await publish(alice, 1)
        assert (await second.next("mailbox")).data == {"number": 1}
        assert numbers_of(first) == []
        second.leave()
        assert not server.hub.streams
        assert not server.hub._feeds
        assert not server._per_network


async def test_who_comes_back_gets_what_was_missed_and_nothing_twice(
    alice: User, header: tuple[str, str]
) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        await publish(alice, 1, 2)
        await client.wait_until(lambda: len(numbers_of(client)) == 2)
        client.leave()
        await publish(alice, 3, 4)
        again = await open_stream(server, header, client.events[-1].id)
        assert numbers_of(again) == [3, 4]
        await publish(alice, 5)
        await again.wait_until(lambda: len(numbers_of(again)) == 3)
        assert numbers_of(again) == [3, 4, 5]


async def test_a_lost_history_is_told(alice: User, header: tuple[str, str], guarded_redis: Redis) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        last = client.events[-1].id
        client.leave()
        await run_in_thread(guarded_redis.flushall)
        for old in (last, "0000-5", f"{last.partition('-')[0]}-1"):
            again = await open_stream(server, header, old)
            assert [event.name for event in again.events] == ["reset", "ready"], old


async def test_more_events_than_a_history_holds_are_a_reset(alice: User, header: tuple[str, str]) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        client.leave()
        await publish(alice, *range(MAX_EVENTS + 1))
        again = await open_stream(server, header, client.events[-1].id)
        assert again.events[0].name == "reset"


async def test_a_subscription_that_is_cut_misses_nothing(
    alice: User, header: tuple[str, str], guarded_redis: Redis
) -> None:
    async with serving() as server:
        client = await open_stream(server, header)

        def cut() -> None:
            live.publish([alice.pk], "mailbox", {"number": 1})
            cut_subscriptions(guarded_redis)
            live.publish([alice.pk], "mailbox", {"number": 2})

        for _ in range(3):
            await run_in_thread(cut)
        await client.wait_until(lambda: len(numbers_of(client)) == 6)
        assert numbers_of(client) == [1, 2] * 3
        assert server.hub.subscription.losses >= 1


async def test_many_who_come_push_no_event_out(
    alice: User, header: tuple[str, str], guarded_redis: Redis
) -> None:
    async with serving() as server:
        for _ in range(3):
            (await open_stream(server, header)).leave()
        assert guarded_redis.xlen(person_topic(alice.pk).stream) == 1
        await publish(alice, 1)
        assert guarded_redis.xlen(person_topic(alice.pk).stream) == 2


async def test_a_flushed_redis_that_also_cut_the_subscription_is_a_reset(
    header: tuple[str, str], guarded_redis: Redis
) -> None:
    async with serving() as server:
        client = await open_stream(server, header)

        def lose() -> None:
            guarded_redis.flushall()
            cut_subscriptions(guarded_redis)

        await run_in_thread(lose)
        await client.next("reset")


async def test_a_log_out_ends_the_stream(alice: User, header: tuple[str, str]) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        await run_in_thread(lambda: tokens.log_out(header[1].removeprefix("Bearer ")))
        await client.wait_until(client.connection.transport.is_closing)
        refused = LiveClient(server, "/api/live", header)
        assert await refused.status() == 401


async def test_a_visitor_and_a_forged_token_are_refused() -> None:
    async with serving() as server:
        for headers in ([], [("authorization", "Bearer x")], [("authorization", "Basic x")]):
            assert await LiveClient(server, "/api/live", *headers).status() == 401


async def test_one_stream_too_many_is_told_to_wait(header: tuple[str, str], settings: Settings) -> None:
    settings.STREAMS_PER_ADDRESS = 1
    async with serving() as server:
        first = await open_stream(server, header)
        refused = LiveClient(server, "/api/live", header)
        assert await refused.status() == 429
        first.leave()
        await open_stream(server, header)


async def test_a_slow_reader_is_cut(alice: User, header: tuple[str, str]) -> None:
    async with serving() as server:
        client, other = await open_stream(server, header), await open_stream(server, header)
        client.connection.protocol.flow.pause_writing()
        await publish(alice, 1)
        await other.next("mailbox")
        assert client.connection.transport.is_aborted
        assert numbers_of(client) == []


async def test_a_stream_ends_after_minutes(header: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "HEARTBEAT_SECONDS", 0.01)
    async with serving() as server:
        client = await open_stream(server, header)
        await client.wait_until(lambda: ": still here" in client.text)
        (stream,) = server.hub.streams
        stream.ends_at = 0
        await client.wait_until(client.connection.transport.is_closing)


async def test_without_redis_a_stream_ends_and_nothing_raises(
    header: tuple[str, str], redis_away_now: Callable[[], None]
) -> None:
    async with serving() as server:
        await run_in_thread(redis_away_now)
        client = LiveClient(server, "/api/live", header)
        await client.wait_until(client.connection.transport.is_closing)
        await run_in_thread(lambda: live.publish([1], "mailbox", {}))


def test_only_who_listens_holds_memory(alice: User, guarded_redis: Redis) -> None:
    live.publish([alice.pk], "mailbox", {"number": 1})
    assert not guarded_redis.exists(person_topic(alice.pk).stream)


async def test_recent_events_expire(header: tuple[str, str], alice: User, guarded_redis: Redis) -> None:
    async with serving() as server:
        await open_stream(server, header)
        await publish(alice, 1)
    assert 0 < guarded_redis.ttl(person_topic(alice.pk).stream) <= 20 * 60
    assert guarded_redis.ttl(keys.EPOCH()) == -1


async def test_states_are_told_rarely_to_many_and_at_once_when_urgent() -> None:
    told: list[bytes] = []

    class Sink:
        is_slow = False

        def write_chunk(self, chunk: bytes) -> None:
            told.append(chunk)

    left = 100

    async def read(subjects: object) -> dict[int, dict[str, int]]:
        return {7: {"left": left}}

    states = polled_states.PolledStates(read, is_urgent=lambda state: state["left"] == 0)
    now = asyncio.get_running_loop().time()
    streams = [Stream(Sink(), user_id=0, now=now) for _ in range(polled_states.MAX_DELIVERIES_PER_SECOND)]  # type: ignore[arg-type]
    for stream in streams:
        states.add(stream, 7, lambda _subject, state: b"%d" % state["left"])
    await states._tell_if_due(7, {"left": 100})
    await states._tell_if_due(7, {"left": 99})
    assert set(told) == {b"100"}
    await states._tell_if_due(7, {"left": 0})
    assert told.count(b"0") == len(streams)
    for stream in streams:
        states.remove(stream)
    assert states.stream_count == 0
