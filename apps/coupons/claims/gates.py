"""Reads what Redis holds of sales: the gate of each, and whether the server may sell from it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from apps.coupons import keys
from apps.redis_kit import client, scripts

#: An edit takes from Redis just before its commit, and is finished some milliseconds later.
GIVE_BACK_MS = 3_000


class Gate(NamedTuple):
    """A sale's load as Redis has it, "" and 0 where it has nothing; `hold_until_ms` is unix time.

    `handed_in` are the web processes that have put back what they had accepted, in a hold.
    `server` is the run of the server that took in the load. `is_own` is false on a server that was restarted,
    promoted or given another copy since: it may be older than what it promised. `narrowed_ms` is for how long
    an edit that SQL hasn't committed has kept the sale narrowed.
    """

    state: str
    handed_in: frozenset[str]
    server: str
    epoch: int
    revision: int
    hold_until_ms: int
    readmitted: int
    narrowed_ms: int
    is_own: bool
    has_stock: bool
    can_count: bool

    @property
    def is_usable(self) -> bool:
        """Whether claims may be decided with it."""
        return self.is_own and self.can_count

    @property
    def is_left_narrowed(self) -> bool:
        """Whether an edit was begun and neither finished nor taken back: who made it may have died."""
        return self.narrowed_ms > GIVE_BACK_MS


def _parse(raw: Sequence[Any]) -> Gate:
    state, handed_in, server, *numbers, is_own, has_stock, can_count = raw
    epoch, revision, hold_until, readmitted, narrowed = (
        int(text) if text.isdigit() else 0 for text in numbers
    )
    return Gate(
        state,
        frozenset(handed_in.split()),
        server,
        epoch,
        revision,
        hold_until,
        readmitted,
        narrowed,
        bool(is_own),
        bool(has_stock),
        bool(can_count),
    )


READ_GATE = scripts.Script("read_gate", package="apps.coupons.claims", reply=_parse)
NOTE_HANDED_IN = scripts.Script("note_handed_in", package="apps.coupons.claims", reply=bool)


def read(voucher_ids: Sequence[int]) -> list[Gate]:
    """The gate of each sale, in their order and in one round trip."""
    sale_keys = [keys.for_sale(voucher_id) for voucher_id in voucher_ids]
    return READ_GATE.call_many(client.get(), [([each.sale, each.stock], []) for each in sale_keys])[0]


def note_handed_in(voucher_id: int, *, epoch: int, process: str) -> bool:
    """Note that a web process has put back all that it had accepted; False when this load isn't held."""
    return NOTE_HANDED_IN(client.get(), keys=[keys.for_sale(voucher_id).sale], args=[epoch, process])
