"""The parts "sale" and "reminded" of the personal answer.

"sale" is the stock of a voucher, with the person's order and reminder; "reminded" the reminders of some
sales.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.coupons import keys
from apps.coupons.buyer import order_views
from apps.coupons.buyer.order_views import OrderState
from apps.coupons.catalog import offers, reminders
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale, Reminder, Voucher, VoucherOrder
from apps.coupons.models.catalog import MAX_PER_PERSON
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command
from apps.web.compiled_queries import CompiledQuery

#: (user id, voucher id)
_Pair = tuple[int, int]
NO_ORDERS: Mapping[int, OrderState] = {}


class OwnOrder(TypedDict):
    """An order that the person has of the voucher, used or not."""

    id: str
    status: str


class SaleState(TypedDict):
    """A voucher for one person; `left` is None for one that isn't in a flash sale.

    `order_id` is the order of who can't have another one, the last of their `orders`. `pay_until` is the
    first deadline of their unpaid ones (ISO 8601). `days_to_go` are the check-ins in a row that they lack.
    """

    voucher_id: int
    left: int | None
    order_id: str | None
    order_status: str | None
    orders: list[OwnOrder]
    pay_until: str | None
    reminded: bool
    days_to_go: int


class _OpenSale(NamedTuple):
    """What Redis says of an open sale: units left, how many one person may have, the first order of the
    person, 0 for none, and the check-ins in a row that it asks for.
    """

    left: int
    per_person: int
    order_id: int
    may_be_reminded: bool
    streak_days: int


class SalePart:
    """None for a voucher that isn't offered. Redis answers for an open sale; SQL tells the status of an
    order, and the reminder as long as it can be set. Where a person may have several, their other orders are
    read from Redis in a second step, so that all other sales cost as little as before.
    """

    param, empty, for_visitors = "sale", None, True

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [
            one for voucher_id, users in _users_by_sale(requests).items() for one in _reads(voucher_id, users)
        ]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        found: dict[_Pair, SaleState | NotCached] = {}
        unread = iter(replies)
        for voucher_id, users in _users_by_sale(requests).items():
            gate, stock, bought = next(unread), next(unread), next(unread)
            for user_id, entry in zip(users, bought, strict=True):
                found[user_id, voucher_id] = _parse_state(user_id, voucher_id, gate, stock, entry)
        return [found[request.user_id, request.ids[0]] for request in requests]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        """`known` are _OpenSales, whose orders may have no row yet."""
        pairs = [(request.user_id, request.ids[0]) for request in requests]
        in_redis = {pair: sale for pair, sale in zip(pairs, known, strict=True) if sale}
        orders = _read_orders(in_redis)
        others = [pair for pair in pairs if pair not in orders]
        found = _load_open(in_redis, orders) | (_load_others(others) if others else {})
        return [found.get(pair) for pair in pairs]


class RemindersPart:
    """The sales among `bells` that the person wants a reminder of; SQL alone knows."""

    param, empty, for_visitors = "bells", (), False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return []

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [NotCached()] * len(requests)

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        users = list({request.user_id for request in requests})
        sales = list({sale_id for request in requests for sale_id in request.ids})
        found = set(_find_reminders(users, sales))
        return [[one for one in request.ids if (request.user_id, one) in found] for request in requests]


def _users_by_sale(requests: Sequence[PartRequest]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for user_id, ids in requests:
        found.setdefault(ids[0], []).append(user_id)
    return found


def _reads(voucher_id: int, users: Sequence[int]) -> list[Command]:
    sale = keys.for_sale(voucher_id)
    gate: Command = ("HMGET", sale.sale, "state", "begins", "per_person", "streak_days")
    return [gate, ("GET", sale.stock), ("HMGET", sale.buyers, *users)]


def _parse_state(
    user_id: int, voucher_id: int, gate: Sequence[Any], stock: Any, entry: Any
) -> SaleState | NotCached:
    state, begins, limit, days = gate
    if state != "open" or not begins or not stock or not stock.isdigit():
        return NotCached()
    order_id = _parse_order_id(entry) if user_id and entry else 0
    may_be_reminded = bool(user_id) and reminders.is_early_enough(int(begins) / 1000 - time.time())
    per_person = min(int(limit), MAX_PER_PERSON) if limit and limit.isdigit() else 1
    streak_days = int(days) if user_id and days and days.isdigit() else 0
    if order_id or may_be_reminded or streak_days or user_id and per_person > 1:
        return NotCached(_OpenSale(int(stock), per_person, order_id, may_be_reminded, streak_days))
    return _build_state(voucher_id, int(stock))


def _parse_order_id(entry: str) -> int:
    return int(entry.partition(":")[0])


def _read_orders(in_redis: Mapping[_Pair, _OpenSale]) -> dict[_Pair, list[int]]:
    """The orders of each person, the newest last; the pairs for which Redis has to be read, and can't be, are
    left out.
    """
    found = {
        pair: [sale.order_id] if sale.order_id else []
        for pair, sale in in_redis.items()
        if sale.per_person == 1
    }
    several = [(pair, sale.per_person) for pair, sale in in_redis.items() if sale.per_person > 1]
    commands: list[Command] = [
        ("HMGET", keys.for_sale(voucher).buyers, *(keys.buyers_field(user, piece) for piece in range(limit)))
        for (user, voucher), limit in several
    ]
    try:
        replies = transport.execute_many(client.get(), commands) if commands else []
    except client.UNAVAILABLE:
        return found
    for (pair, _limit), entries in zip(several, replies, strict=True):
        found[pair] = sorted(_parse_order_id(entry) for entry in entries if entry)
    return found


def _load_open(
    in_redis: Mapping[_Pair, _OpenSale], orders: Mapping[_Pair, Sequence[int]]
) -> dict[_Pair, SaleState]:
    """The states of which SQL adds the orders' states, and the reminders where they can be set."""
    every = [order_id for numbers in orders.values() for order_id in numbers]
    states = order_views.fetch_states(every) if every else {}
    coming = [pair for pair, sale in in_redis.items() if sale.may_be_reminded]
    users, sales = {user_id for user_id, _ in coming}, {voucher_id for _, voucher_id in coming}
    reminded = set(_find_reminders(list(users), list(sales))) if coming else set()
    to_go = _count_days_to_go({pair: sale.streak_days for pair, sale in in_redis.items()})
    return {
        pair: _build_state(
            pair[1],
            sale.left,
            {order_id: states[order_id] for order_id in orders[pair]},
            per_person=sale.per_person,
            reminded=sale.may_be_reminded and pair in reminded,
            days_to_go=to_go.get(pair, 0),
        )
        for pair, sale in in_redis.items()
        if pair in orders
    }


def _load_others(pairs: Sequence[_Pair]) -> dict[_Pair, SaleState]:
    """The states of vouchers that are in no open sale; none of those that aren't offered."""
    vouchers = Voucher.objects.offered().select_related("sale").in_bulk({pair[1] for pair in pairs})
    sales: list[FlashSale] = [one.sale for one in vouchers.values() if hasattr(one, "sale")]
    left = {sale.pk: sale.stock_left for sale in sales} | offers.fetch_stock(sales)
    orders, reminded = _find_orders(pairs), _find_reminded(pairs, sales)
    days = {sale.pk: sale.streak_days for sale in sales}
    to_go = _count_days_to_go({pair: days.get(pair[1], 0) for pair in pairs if pair[0]})
    return {
        pair: _build_state(
            pair[1],
            left.get(pair[1]),
            orders.get(pair, {}),
            per_person=vouchers[pair[1]].per_person,
            reminded=pair in reminded,
            days_to_go=to_go.get(pair, 0),
        )
        for pair in pairs
        if pair[1] in vouchers
    }


def _build_state(
    voucher_id: int,
    left: int | None,
    states: Mapping[int, OrderState] = NO_ORDERS,
    *,
    per_person: int = 1,
    reminded: bool = False,
    days_to_go: int = 0,
) -> SaleState:
    """`states` are those of the person's orders, the newest last."""
    orders = [OwnOrder(id=str(order_id), status=state.status) for order_id, state in states.items()]
    deadlines = [state.pay_deadline for state in states.values() if state.pay_deadline]
    last = orders[-1] if len(orders) >= per_person else None
    return SaleState(
        voucher_id=voucher_id,
        left=left,
        order_id=last["id"] if last else None,
        order_status=last["status"] if last else None,
        orders=orders,
        pay_until=min(deadlines).isoformat() if deadlines else None,
        reminded=reminded,
        days_to_go=days_to_go,
    )


def _count_days_to_go(wanted: Mapping[_Pair, int]) -> dict[_Pair, int]:
    """How many of the check-ins in a row that each sale asks for its person lacks; one query, if any does."""
    users = {user_id for (user_id, _), days in wanted.items() if days}
    streaks = seckill.read_streaks(users) if users else {}
    return {pair: max(0, days - streaks[pair[0]]) for pair, days in wanted.items() if days}


def _find_orders(pairs: Sequence[_Pair]) -> dict[_Pair, dict[int, OrderState]]:
    """The active orders that have a row, the newest last."""
    rows = VoucherOrder.objects.active().filter(
        user__in={user_id for user_id, _ in pairs if user_id},
        voucher__in={voucher_id for _, voucher_id in pairs},
    )
    had: dict[_Pair, dict[int, OrderState]] = {}
    for user_id, voucher_id, pk, status, deadline in rows.order_by("pk").values_list(
        "user_id", "voucher_id", "pk", "status", "pay_deadline"
    ):
        had.setdefault((user_id, voucher_id), {})[pk] = OrderState.from_row(status, deadline)
    return had


def _find_reminded(pairs: Sequence[_Pair], sales: Sequence[FlashSale]) -> set[_Pair]:
    """The pairs of a person and a sale that they are reminded of; none once it is too late to change it."""
    now = timezone.now()
    coming = [sale.pk for sale in sales if reminders.can_be_set(sale, now)]
    users = list({user_id for user_id, _ in pairs if user_id})
    return set(_find_reminders(users, coming)) if coming and users else set()


@CompiledQuery
def _find_reminders(users: list[int], sales: list[int]) -> QuerySet[Reminder, tuple[int, int]]:
    return Reminder.objects.filter(user__in=users, sale__in=sales).values_list("user_id", "sale_id")
