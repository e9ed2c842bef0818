"""Samples and the lens on a Redis Cluster, whose client answers in shapes of its own."""

import pytest

from apps.backoffice.lens import store
from apps.backoffice.lens.recording import Recording
from apps.monitoring import key_samples, keys, memory
from apps.redis_kit import client, schema, transport
from apps.shops import keys as shops
from apps.signins import keys as signins
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = pytest.mark.redis_nodes


@pytest.mark.parametrize(
    ("declaration", "elements"),
    [
        (keys.REBUILDING, [("", "text")]),
        (shops.FACTS, [("7", "fact")]),
        (signins.LEADERBOARD, [("3", "7")]),
    ],
)
def test_elements_are_read(declaration: schema.Key, elements: list[tuple[str, str]]) -> None:
    connected = client.get()
    connected.set(keys.REBUILDING(name="one"), "text", ex=60)
    connected.hset(shops.FACTS(), mapping={"7": "fact"})
    connected.zadd(signins.LEADERBOARD(day="2026-11-23"), {"7": 3})
    found = key_samples.read(declaration)
    connected.flushall()
    assert [sample.elements for sample in found.samples] == [elements]
    assert found.walked == 3
    assert all(sample.bytes > 0 and sample.length > 0 for sample in found.samples)


def test_commands_are_recorded_node_by_node() -> None:
    client.get().ping()
    recording = Recording("GET", "/")
    commands: list[transport.Command] = [("GET", keys.REBUILDING(name="one")), ("HLEN", shops.FACTS())]
    with recording.running():
        transport.execute_many(client.get(), commands)
    described = store.describe(recording)
    shown = [command for step in described["steps"] for command in step["commands"]]
    assert [key["pattern"] for command in shown for key in command["keys"]] == [
        keys.REBUILDING.pattern,
        shops.FACTS.pattern,
    ]


def test_the_report_counts_on_every_node() -> None:
    client.get().set(keys.REBUILDING(name="one"), "text", ex=60)
    report = memory.newest_report(fresh=True)
    client.get().flushall()
    assert (report.seen, report.total) == (1, 1)
