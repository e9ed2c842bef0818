"""Offers for display: sales as Redis holds them, and lists of vouchers with that; one round trip a list."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from apps.coupons import keys
from apps.coupons.catalog import reminders
from apps.coupons.models import FlashSale, Voucher
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command
from apps.shops.geo import cities
from apps.shops.models import City
from apps.web import paging

WindowPhase = Literal["upcoming", "running", "over"]

OfferPhase = Literal["soon", "running", "sold_out", "ended"]
#: Cards on the home page: two rows on a desk.
MAX_HOME_PAGE_CARDS = 6
#: Of a sale's stock, below which lists say how many are left.
LOW_SHARE = 0.3
#: Cards of one tab of the page of sales.
MAX_CARDS = 60


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


def read_live_states(sales: Iterable[FlashSale]) -> dict[int, LiveState]:
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


@dataclass(frozen=True)
class Offer:
    """A voucher, for a flash sale with its phase and the stock left; `phase` is None for an ordinary one."""

    voucher: Voucher
    phase: OfferPhase | None
    left: int
    now: datetime

    @property
    def sale(self) -> FlashSale | None:
        return getattr(self.voucher, "sale", None)

    @property
    def is_low(self) -> bool:
        """Whether less than LOW_SHARE of a sale's stock is left: only then is its number worth a word."""
        return self.sale is not None and self.left < LOW_SHARE * self.sale.stock_total

    @property
    def can_remind(self) -> bool:
        """Whether a reminder of the sale can still be set."""
        return self.sale is not None and reminders.can_be_set(self.sale, self.now)


def with_live_stock(vouchers: Iterable[Voucher]) -> list[Offer]:
    """Offers of the given vouchers (their sales selected), with Redis' stock, or SQL's when it is away."""
    listed = list(vouchers)
    known = fetch_stock([voucher.sale for voucher in listed if hasattr(voucher, "sale")])
    return [build_offer(voucher, known) for voucher in listed]


def fetch_stock(sales: list[FlashSale]) -> dict[int, int]:
    """The stock by voucher id, of the sales that Redis holds; empty when Redis is away."""
    try:
        states = read_live_states(sales)
    except client.UNAVAILABLE:
        return {}
    return {voucher_id: state.units for voucher_id, state in states.items() if state.units is not None}


def build_offer(voucher: Voucher, known: dict[int, int]) -> Offer:
    """The offer of one voucher; `known` is the result of fetch_stock."""
    now = timezone.now()
    sale: FlashSale | None = getattr(voucher, "sale", None)
    if sale is None:
        return Offer(voucher, None, 0, now)
    left = known.get(sale.pk, sale.stock_left)
    return Offer(voucher, offer_phase(sale, left=left, now=now), left, now)


def offer_phase(sale: FlashSale, *, left: int, now: datetime) -> OfferPhase:
    """The phase of a sale at a moment, with so much stock left."""
    if now >= sale.ends_at:
        return "ended"
    if now < sale.begins_at:
        return "soon"
    return "running" if left else "sold_out"


def shop_vouchers_query(shop_id: int) -> QuerySet[Voucher]:
    """The shop's offered vouchers, without sales that are over."""
    open_ended = Q(sale=None) | Q(sale__ends_at__gt=timezone.now())
    return Voucher.objects.offered().filter(open_ended, shop_id=shop_id).select_related("shop", "sale")


def list_shop_page(shop_id: int, *, cursor: str, size: int = paging.PAGE_SIZE) -> paging.Page[Voucher]:
    """A page of the shop's offered vouchers, the newest first; BadCursor."""
    return paging.fetch_page(
        shop_vouchers_query(shop_id), order=["-id"], types=[int], cursor=cursor, size=size
    )


def list_for_home_page(city: City | None = None) -> list[Offer]:
    """The sales of a city for its home page, of all without one.

    Those that run come first, then those that begin soonest, then the sold out.
    """
    listed = with_live_stock(_query_for_home_page(timezone.now(), city))
    order: list[OfferPhase | None] = ["running", "soon", "sold_out", "ended"]
    return sorted(listed, key=lambda one: order.index(one.phase))


def _query_for_home_page(now: datetime, city: City | None) -> QuerySet[Voucher]:
    rank = Case(
        When(sale__begins_at__gt=now, then=Value(1)),
        When(sale__stock_left=0, then=Value(2)),
        default=Value(0),
        output_field=IntegerField(),
    )
    here = cities.shop_condition(city)
    # By the sales' ids: SQLite would look for vouchers of each shop of the city.
    not_over = FlashSale.objects.filter(ends_at__gt=now).values("pk")
    coming = _offered_sales().filter(here, pk__in=not_over).annotate(rank=rank)
    return coming.order_by("rank", "sale__begins_at", "pk")[:MAX_HOME_PAGE_CARDS]


def list_running() -> list[Offer]:
    """Running sales, those that end first at the top; the sold out last."""
    now = timezone.now()
    found = _offered_sales().filter(sale__begins_at__lte=now, sale__ends_at__gt=now)
    return sorted(
        with_live_stock(found.order_by("sale__ends_at", "pk")[:MAX_CARDS]), key=lambda one: not one.left
    )


def list_coming() -> list[Offer]:
    """Sales that begin later, the next one at the top."""
    found = _offered_sales().filter(sale__begins_at__gt=timezone.now())
    return with_live_stock(found.order_by("sale__begins_at", "pk")[:MAX_CARDS])


def list_ended() -> list[Offer]:
    """Sales that are over, the latest at the top."""
    found = _offered_sales().filter(sale__ends_at__lte=timezone.now())
    return with_live_stock(found.order_by("-sale__ends_at", "pk")[:MAX_CARDS])


def _offered_sales() -> QuerySet[Voucher]:
    return Voucher.objects.offered().filter(sale__isnull=False).select_related("shop", "sale")
