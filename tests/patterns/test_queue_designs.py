"""The queues that the page about queues shows leave nothing on the server."""

import redis

from apps.patterns import keys, queue_designs


def test_what_is_sent_ends_by_itself_when_nobody_clears_it(guarded_redis: redis.Redis) -> None:
    for design, key in (
        (queue_designs.ListQueue, keys.COMPARED_QUEUE),
        (queue_designs.StreamQueue, keys.COMPARED_STREAM),
    ):
        design("left").send(["00000001"])
        assert 590 < guarded_redis.ttl(key(run="left")) <= 600
