"""The live state of sales as Redis holds them, for display: one round trip for any number."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils import timezone

from apps.coupons import keys
from apps.coupons.models import FlashSale
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command

WindowPhase = Literal["upcoming", "running", "over"]


@dataclass(frozen=True)
class LiveState:
    """Gate (open, recovering, closed, absent, missing), stock in `units` (None: not countable), and how
    many `orders` keep a unit.
    """

    gate: str
    units: int | None
    orders: int
    matches_sql: bool

    @property
    def is_open(self) -> bool:
        """Whether claims are decided, by the version of the sale that SQL has."""
        return self.gate == "open" and self.matches_sql and self.units is not None


def window_phase(sale: FlashSale, *, at: datetime | None = None) -> WindowPhase:
    """Whether the sale's window is ahead, running or over."""
    now = at or timezone.now()
    if now < sale.begins_at:
        return "upcoming"
    return "running" if now < sale.ends_at else "over"


def phase_for_staff(sale: FlashSale) -> Literal["upcoming", "running", "over", "off"]:
    """The window's phase; "off" for a sale that would be open but is off the site, or its shop is."""
    phase = window_phase(sale)
    return phase if sale.is_offered or phase == "over" else "off"


def read_all(sales: Iterable[FlashSale]) -> dict[int, LiveState]:
    """Each sale's live state by voucher id; client.UNAVAILABLE when Redis is away."""
    wanted = list(sales)
    commands = [command for sale in wanted for command in _read_commands(keys.for_sale(sale.pk))]
    # A key of the wrong type is a sale that can't be counted, not a page that breaks.
    answers = iter(transport.execute_many(client.get(), commands, raise_on_error=False) if wanted else [])
    return {sale.pk: _parse_state(sale, next(answers), next(answers), next(answers)) for sale in wanted}


def _read_commands(sale: keys.SaleKeys) -> list[Command]:
    return [("HMGET", sale.sale, "state", "epoch", "revision"), ("GET", sale.stock), ("HLEN", sale.buyers)]


def _parse_state(sale: FlashSale, gate: object, stock: object, orders: object) -> LiveState:
    state, epoch, revision = gate if isinstance(gate, list) else (None, None, None)
    digits = stock if isinstance(stock, str) and stock.isascii() and stock.isdigit() else None
    return LiveState(
        gate=state or "missing",
        units=int(digits) if digits else None,
        orders=orders if isinstance(orders, int) else 0,
        matches_sql=(epoch, revision) == (str(sale.epoch), str(sale.revision)),
    )
