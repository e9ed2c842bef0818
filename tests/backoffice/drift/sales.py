"""Drift of sales: gate, window, stock, buyers, released orders, queues, id clocks, counters, shops' ends."""

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace as World

from redis import Redis

from apps.coupons import keys
from apps.coupons.models import FlashSale, StockLedger
from apps.redis_kit.schema import Key
from apps.search import keys as suggestions
from apps.search.models import IndexEntry
from apps.shops import keys as shops
from apps.shops.models import Shop
from tests.backoffice.drift.injected import Drift, edit_field, plant

#: What loading a sale again writes.
LOADED = (keys.SALE, keys.STOCK, keys.BUYERS, keys.RELEASED, keys.ID_CLOCK)
TYPES = "keys.types"


def _sale(name: str, aspect: str, inject: Callable[[World, Redis], object]) -> Drift:
    return Drift(f"sale: {name}", inject, "coupons.sales", aspect, LOADED, [FlashSale])


def _queue(name: str, aspect: str, inject: Callable[[World, Redis], object], key: Key) -> Drift:
    return Drift(f"queue: {name}", inject, "coupons.queues", aspect, [key])


def _later(number: str) -> str:
    return str(int(number) + 60_000)


def _open_withdrawn(world: World, server: Redis) -> None:
    held = keys.for_sale(world.withdrawn.pk)
    server.hset(held.sale, mapping={"state": "open", "begins": 0, "ends": 10**14, "epoch": 1})
    server.set(held.stock, 5, ex=600)


def _swap_tokens(world: World, server: Redis) -> None:
    edit_field(server, world.held.buyers, world.alice, lambda held: held.partition(":")[0] + ":other")


GATE, RULES, EXPIRY = "I27 gate", "I26 rules differ", "I29 expiry"
STOCK, BUYERS, RELEASED = "I5 stock doesn't add up", "I6 buyers differ", "I28 released differ"
QUEUED, CLOCK, NUMBER = "I30 queued differ", "I31 id clock behind", "I10 stock not a number"

SALES = [
    _sale("begins later in Redis", RULES, lambda w, s: edit_field(s, w.held.sale, "begins", _later)),
    _sale("ends later in Redis", RULES, lambda w, s: edit_field(s, w.held.sale, "ends", _later)),
    _sale("end lost", RULES, lambda w, s: s.hdel(w.held.sale, "ends")),
    _sale("another epoch", RULES, lambda w, s: s.hset(w.held.sale, "epoch", 999)),
    _sale("another revision", RULES, lambda w, s: s.hset(w.held.sale, "revision", 999)),
    _sale("gate lost", GATE, lambda w, s: s.delete(w.held.sale)),
    _sale("gate closed", GATE, lambda w, s: s.hset(w.held.sale, "state", "closed")),
    _sale("gate left absent", GATE, lambda w, s: s.hset(w.held.sale, "state", "absent")),
    _sale("gate of a withdrawn sale open", GATE, _open_withdrawn),
    _sale("one unit too many", STOCK, lambda w, s: s.incr(w.held.stock)),
    _sale("one unit too few", STOCK, lambda w, s: s.decr(w.held.stock)),
    _sale("stock below zero", NUMBER, lambda w, s: s.set(w.held.stock, -3, keepttl=True)),
    _sale("stock a fraction", NUMBER, lambda w, s: s.set(w.held.stock, "5.9", keepttl=True)),
    _sale("stock lost", NUMBER, lambda w, s: s.delete(w.held.stock)),
    _sale("buyer forged", BUYERS, lambda w, s: s.hset(w.held.buyers, "99", "1:t")),
    _sale("buyer lost", BUYERS, lambda w, s: s.hdel(w.held.buyers, w.alice)),
    _sale("buyer with another order", BUYERS, lambda w, s: s.hset(w.held.buyers, w.alice, "7:t")),
    _sale("buyer with another token", BUYERS, _swap_tokens),
    _sale("buyers lost", BUYERS, lambda w, s: s.delete(w.held.buyers)),
    _sale("released forged", RELEASED, lambda w, s: s.hset(w.held.released, f"{w.alice}:x", "12")),
    _sale("released lost", RELEASED, lambda w, s: s.delete(w.held.released)),
    _sale("released no number", RELEASED, lambda w, s: s.hset(w.held.released, "9:x", "none")),
    _sale("gate never expires", EXPIRY, lambda w, s: s.persist(w.held.sale)),
    _sale("stock expires during the sale", EXPIRY, lambda w, s: s.expire(w.held.stock, 600)),
    _sale("buyers expire during the sale", EXPIRY, lambda w, s: s.expire(w.held.buyers, 600)),
    _sale("units left in SQL", "I18 sold counter", lambda w, s: FlashSale.objects.update(stock_left=3)),
]
QUEUES = [
    _queue("queued forged", QUEUED, lambda w, s: s.hset(w.held.queued, "77", "1:2:3"), keys.QUEUED),
    _queue("queued lost", QUEUED, lambda w, s: s.delete(w.held.queued), keys.QUEUED),
    _queue(
        "queued for somebody else",
        QUEUED,
        lambda w, s: s.hset(w.held.queued, s.hkeys(w.held.queued)[0], f"{w.sale.pk}:99:5"),
        keys.QUEUED,
    ),
    _queue("id clock behind", CLOCK, lambda w, s: s.hset(w.held.ids, "second", 5), keys.ID_CLOCK),
    _queue("id clock no number", CLOCK, lambda w, s: s.hset(w.held.ids, "second", "x"), keys.ID_CLOCK),
]
BOOKS = [
    Drift(
        "a return without its entry",
        lambda w, s: StockLedger.objects.all().delete(),
        "coupons.sales",
        "I7 return not once",
        LOADED,
        [FlashSale, StockLedger],
    ),
]
WRONG_TYPES = [
    Drift("gate of another type", lambda w, s: plant(w.held.sale), TYPES, "type", LOADED, [FlashSale]),
    Drift("stock of another type", lambda w, s: plant(w.held.stock), TYPES, "type", LOADED, [FlashSale]),
    Drift("buyers of another type", lambda w, s: plant(w.held.buyers), TYPES, "type", LOADED, [FlashSale]),
    Drift(
        "released of another type", lambda w, s: plant(w.held.released), TYPES, "type", LOADED, [FlashSale]
    ),
    Drift("queued of another type", lambda w, s: plant(w.held.queued), TYPES, "type", [keys.QUEUED]),
    Drift("id clock of another type", lambda w, s: plant(w.held.ids), TYPES, "type", [keys.ID_CLOCK]),
    Drift(
        "order stream of another type",
        lambda w, s: plant(w.held.orders),
        TYPES,
        "type",
        # Charlie's accepted order is gone with the stream: the unit is free again.
        [*LOADED, keys.ORDERS, keys.QUEUED],
        [FlashSale],
    ),
    Drift(
        "order stream that expires",
        lambda w, s: s.expire(w.held.orders, 600),
        TYPES,
        "expiry",
        [keys.ORDERS],
    ),
]
SHOPS = [
    Drift(
        name,
        inject,
        "coupons.shops",
        "vouchers until",
        [shops.FACTS, suggestions.SUGGEST_RECORDS],
        # Its change gives a shop another version.
        [Shop, IndexEntry],
    )
    for name, inject in (
        ("vouchers of a shop forgotten", lambda w, s: Shop.objects.update(vouchers_until=None)),
        (
            "vouchers of a shop that end later",
            lambda w, s: Shop.objects.update(vouchers_until=w.sale.ends_at + timedelta(days=1)),
        ),
    )
]
ALL = [*SALES, *QUEUES, *BOOKS, *SHOPS, *WRONG_TYPES]
