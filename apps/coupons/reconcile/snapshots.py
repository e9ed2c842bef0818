"""What Redis holds of one sale, read at one moment."""

from dataclasses import dataclass

from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import stream_reader
from apps.coupons.claims.entries import AcceptedOrder
from apps.redis_kit import client, scripts

SNAPSHOT = scripts.Script("snapshot", package="apps.coupons.reconcile", reply=list)
#: Redis's TTL of a key that doesn't exist.
NO_KEY = -2


@dataclass(frozen=True)
class Snapshot:
    """What Redis held of one sale at one moment; `queued_ms`: order id -> unix ms of its entry.

    `gate` are the fields of the sale's hash. `expiries` are the unix
    seconds at which the existing keys among sale, stock, buyers and released expire; 0: never.
    """

    gate: dict[str, str]
    stock: str | None
    buyers: dict[str, str]
    released: dict[str, str]
    expiries: dict[str, int]
    waiting: list[AcceptedOrder]
    queued_ms: dict[str, int]

    @property
    def state(self) -> str | None:
        return self.gate.get("state")

    @property
    def is_absent(self) -> bool:
        """Whether Redis holds nothing of the sale."""
        return not (self.expiries or self.waiting)


def read(voucher_id: int) -> Snapshot | None:
    """Gate, stock, buyers, released orders and stream of one sale; None when a key has the wrong type."""
    sale_keys = keys.for_sale(voucher_id)
    try:
        # A script and not MULTI, whose answers redis-py leaves raw on a Redis Cluster.
        gate, stock, buyers, released, lifetimes, now, found = SNAPSHOT(
            client.get(), keys=[*sale_keys.of_sale_alone, sale_keys.orders], args=[]
        )
    except ResponseError:
        return None
    entries = [(entry_id, dict_from_flat(fields)) for entry_id, fields in found]
    waiting = [one for one in stream_reader.iter_parsed(entries) if one.voucher_id == voucher_id]
    return Snapshot(
        gate=dict_from_flat(gate),
        stock=stock,
        buyers=dict_from_flat(buyers),
        released=dict_from_flat(released),
        expiries={
            name: now + left if left >= 0 else 0
            for name, left in zip(("sale", "stock", "buyers", "released"), lifetimes, strict=True)
            if left != NO_KEY
        },
        waiting=waiting,
        queued_ms={fields.get("order", ""): int(entry_id.partition("-")[0]) for entry_id, fields in entries},
    )


def dict_from_flat(flat: list[str]) -> dict[str, str]:
    """{field: value} of a hash or an entry as a script returns it."""
    return dict(zip(flat[::2], flat[1::2], strict=True))
