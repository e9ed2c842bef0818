"""While one node of a Cluster doesn't answer, an event loop's calls to the others go on."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import redis
from pytest_django import Settings

from apps.redis_kit import client
from apps.redis_kit.transport import AsyncTransport, Command
from tests.redis_kit import keys
from tests.redis_nodes import cluster
from tests.redis_nodes.cluster import Cluster
from tests.redis_nodes.server import RedisNode

pytestmark = pytest.mark.redis_nodes


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster.run_cluster(tmp_path_factory.mktemp("nodes"), replicas=0) as running:
        yield running


@pytest.fixture
async def transport(nodes: Cluster, settings: Settings) -> AsyncIterator[AsyncTransport]:
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = {
        name: one | {"url": nodes.url, "deadline": 0.5} for name, one in there.items()
    }
    client.close_all()
    yield client.async_transport("gateway")
    await client.aclose_all()
    settings.REDIS_CONNECTIONS = there
    client.close_all()


@pytest.fixture
def frozen(nodes: Cluster) -> Iterator[RedisNode]:
    """The node that a test freezes; afterwards it runs again."""
    yield nodes.masters[1]
    nodes.masters[1].thaw()


def find_names(nodes: Cluster, frozen: RedisNode) -> tuple[str, str]:
    """A key of the node that a test freezes, and one of another."""
    names = [keys.THING(thing=number) for number in range(50)]
    with nodes.connect() as connected:
        slots = {name: int(connected.execute_command("CLUSTER KEYSLOT", name)) for name in names}
    ours = next(name for name in names if nodes.owner(slots[name]) is frozen)
    return ours, next(name for name in names if nodes.owner(slots[name]) is not frozen)


async def test_a_frozen_node_fails_at_once_and_the_others_answer(
    nodes: Cluster, frozen: RedisNode, transport: AsyncTransport
) -> None:
    lost, alive = find_names(nodes, frozen)
    assert await transport.execute_many([count(lost), count(alive)]) == [1, 1]
    frozen.freeze()
    await wait_until_refused(transport, lost)
    # A hundred calls that waited would take fifty seconds.
    async with asyncio.timeout(20):
        for number in range(2, 102):
            refusal, reply = await transport.execute_many([count(lost), count(alive)])
            assert (type(refusal), reply) == (redis.ConnectionError, number)
    frozen.thaw()
    await wait_for_reply(transport, lost)
    # None of the refused calls reached the node.
    assert await transport.execute_many([count(lost)]) == [2]


def count(name: str) -> Command:
    return ("HINCRBY", name, "count", 1)


async def wait_until_refused(transport: AsyncTransport, name: str) -> None:
    """Wait for the deadline of a call, and of the first one that asks again."""
    for _ in range(20):
        try:
            (reply,) = await transport.execute_many([("HGET", name, "count")])
        except redis.TimeoutError:
            continue
        if isinstance(reply, redis.ConnectionError):
            return
    pytest.fail("the node is asked on and on")


async def wait_for_reply(transport: AsyncTransport, name: str) -> None:
    async with asyncio.timeout(20):
        while isinstance(await read(transport, name), Exception):
            await asyncio.sleep(0.05)


async def read(transport: AsyncTransport, name: str) -> object:
    try:
        (reply,) = await transport.execute_many([("HGET", name, "count")])
    except client.UNAVAILABLE as refusal:
        return refusal
    return reply
