"""Chats in live streams: messages arrive in order and once, also for those who join, leave and come back."""

from collections.abc import Awaitable

import pytest
from redis import Redis

from apps.accounts.models import AccessToken, User
from apps.accounts.relations import blocks
from apps.accounts.sessions import tokens
from apps.chat import members, messages, unread
from apps.chat.models import Chat
from apps.front.live.route import LiveRoute
from tests.live_client import LiveClient, cut_subscriptions, run_in_thread, serving

pytestmark = pytest.mark.django_db(transaction=True)
Header = tuple[str, str]


@pytest.fixture
def header(bob: User) -> Header:
    return "authorization", f"Bearer {tokens.issue(bob, kind=AccessToken.Kind.API)}"


def post(chat: Chat, user: User, *texts: str) -> Awaitable[None]:
    return run_in_thread(lambda: [messages.post(user.pk, chat.pk, text).number for text in texts])


def numbers(client: LiveClient) -> list[int]:
    told = [event.data for event in client.events if event.name == "chat"]
    return [data["message"]["number"] for data in told if data["kind"] == "message"]


def kinds(client: LiveClient) -> list[str]:
    return [event.data["kind"] for event in client.events if event.name == "chat"]


async def open_stream(server: LiveRoute, header: Header, last: str = "") -> LiveClient:
    client = LiveClient(server, "/api/live", header, *([("last-event-id", last)] if last else []))
    await client.next("ready")
    return client


async def test_a_message_arrives_with_what_the_api_says_of_it(
    chat_of_two: Chat, alice: User, header: Header
) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        await post(chat_of_two, alice, "Hello")
        data = (await client.next("chat")).data
        assert (data["kind"], data["chat_id"]) == ("message", chat_of_two.pk)
        assert (data["message"]["text"], data["message"]["author"]["id"]) == ("Hello", alice.pk)


async def test_who_comes_back_has_every_message_once(chat_of_two: Chat, alice: User, header: Header) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        await post(chat_of_two, alice, "1", "2")
        await client.wait_until(lambda: numbers(client) == [1, 2])
        client.leave()
        await post(chat_of_two, alice, "3", "4")
        again = await open_stream(server, header, client.events[-1].id)
        await post(chat_of_two, alice, "5")
        await again.wait_until(lambda: len(numbers(again)) == 3)
        assert numbers(again) == [3, 4, 5]


async def test_a_cut_subscription_and_a_flushed_redis_lose_no_message(
    chat_of_two: Chat, alice: User, header: Header, guarded_redis: Redis
) -> None:
    def disturb() -> None:
        messages.post(alice.pk, chat_of_two.pk, "1")
        cut_subscriptions(guarded_redis)
        messages.post(alice.pk, chat_of_two.pk, "2")

    async with serving() as server:
        client = await open_stream(server, header)
        await run_in_thread(disturb)
        await client.wait_until(lambda: len(numbers(client)) == 2)
        await run_in_thread(guarded_redis.flushall)
        await post(chat_of_two, alice, "3", "4")
        await client.wait_until(lambda: len(numbers(client)) == 4)
        assert numbers(client) == [1, 2, 3, 4]


async def test_a_new_member_hears_from_its_own_line_on_and_nothing_after_leaving(
    group: Chat, alice: User, charlie: User
) -> None:
    header = (
        "authorization",
        "Bearer " + await run_in_thread(lambda: tokens.issue(charlie, kind=AccessToken.Kind.API)),
    )
    async with serving() as server:
        client = await open_stream(server, header)
        await post(group, alice, "before")
        await run_in_thread(lambda: members.invite(alice.pk, group.pk, [charlie.pk]))
        await post(group, alice, "after")
        await client.wait_until(lambda: len(numbers(client)) == 2)
        assert numbers(client) == [3, 4]
        await run_in_thread(lambda: members.leave(charlie.pk, group.pk))
        await client.wait_until(lambda: "left" in kinds(client))
        await post(group, alice, "later")
        assert not any(name.startswith("c") for stream in server.hub.streams for name in stream.topics)


@pytest.mark.both_databases
async def test_a_block_cuts_the_chat_of_the_two_out_of_their_streams_and_its_end_brings_it_back(
    chat_of_two: Chat, group: Chat, alice: User, bob: User, header: Header
) -> None:
    def topics(server: LiveRoute) -> set[str]:
        return {name for stream in server.hub.streams for name in stream.topics if name.startswith("c")}

    async with serving() as server:
        client = await open_stream(server, header)
        await run_in_thread(lambda: blocks.block(alice.pk, bob.pk))
        await client.wait_until(lambda: topics(server) == {f"c{group.pk}"})
        client.leave()
        again = await open_stream(server, header)
        assert topics(server) == {f"c{group.pk}"}
        await run_in_thread(lambda: blocks.unblock(alice.pk, bob.pk))
        await again.wait_until(lambda: topics(server) == {f"c{group.pk}", f"c{chat_of_two.pk}"})
        await post(chat_of_two, alice, "Hello again")
        await again.wait_until(lambda: numbers(again) == [1])


async def test_what_was_seen_and_deleted_is_told(
    chat_of_two: Chat, alice: User, bob: User, header: Header
) -> None:
    async with serving() as server:
        client = await open_stream(server, header)
        await post(chat_of_two, alice, "1")
        await run_in_thread(lambda: unread.move_seen(bob.pk, chat_of_two.pk, 1))
        await run_in_thread(lambda: messages.delete(alice.pk, chat_of_two.pk, 1))
        await client.wait_until(lambda: len(kinds(client)) == 3)
        assert sorted(kinds(client)) == ["deleted", "message", "seen"]
