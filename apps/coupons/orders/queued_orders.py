"""Orders that Redis accepted and that have no row yet."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from redis.client import Pipeline

from apps.coupons import keys
from apps.coupons.claims import order_ids, stream_reader
from apps.redis_kit import client


@dataclass(frozen=True)
class QueuedOrder:
    """An accepted order on its way to a row."""

    order_id: int
    voucher_id: int
    user_id: int
    accepted_at: datetime


def find(order_id: int) -> QueuedOrder | None:
    """The queued order of an id, or None; the id's lowest bits name the partition to look in."""
    place = order_id % order_ids.LANES
    if place >= keys.PARTITIONS:
        return None
    queued = client.get().hget(keys.QUEUED(partition=place), str(order_id))
    if not isinstance(queued, str):
        return None
    voucher, user, at = (int(part) for part in queued.split(":"))
    return QueuedOrder(order_id, voucher, user, datetime.fromtimestamp(at / 1000, tz=UTC))


def forget(pipe: "Pipeline", order_stream: str, order_ids: list[str]) -> None:
    """Remove orders of a stream from the queued hash, in a pipeline: they have rows or dead letters now."""
    if order_ids:
        pipe.hdel(_queued_key(order_stream), *order_ids)


def rebuild(report: Callable[[int, int], None]) -> int:
    """Rewrite the queued hashes from the entries that wait in the streams."""
    found = 0
    for done, order_stream in enumerate(keys.order_streams(), start=1):
        # Read before the stream: what is accepted in between is then in neither list of the finished.
        before = {str(number) for number in client.get().hkeys(_queued_key(order_stream))}
        waiting = {str(one.order_id): one for one in stream_reader.iter_waiting_orders(order_stream)}
        for number, one in waiting.items():
            at = int(one.accepted_at.timestamp() * 1000)
            client.get().hset(_queued_key(order_stream), number, f"{one.voucher_id}:{one.user_id}:{at}")
        if finished := before - set(waiting):
            client.get().hdel(_queued_key(order_stream), *finished)
        found += len(waiting)
        report(done, keys.PARTITIONS)
    return found


def _queued_key(order_stream: str) -> str:
    return keys.QUEUED(partition=keys.order_streams().index(order_stream))
