"""Recording: a batch of accepted orders becomes rows in one transaction, or none of it does.

SQL has the last word: one active order per person, voucher and piece is a unique constraint, and a unit is
taken only where one is left. An order that can never be a row is named with the reason, and the others
go in. A batch that fails as a whole is split by the consumer loop until the culprit is alone; every
effect is safe to repeat, because an entry may be delivered again after its commit.

The INSERT of a batch is one statement, in the dialect of each database, without model objects. A row that a
unique constraint refuses is left out and the others are written, so a batch with a few conflicts costs what a
batch without costs. A missing person or voucher fails the whole transaction.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.orders import closing, effects, redeem_codes
from apps.web.stored_texts import Template

NO_SALE = Template(gettext_noop("voucher %(voucher)s has no flash sale"))
#: What an earlier release wrote of orders that it refused: its dead letters are still read, and replayed.
OUTSIDE_WINDOW = Template(gettext_noop("order %(order)s was accepted outside the sale's window"))
HAS_ANOTHER = Template(gettext_noop("person %(person)s has another order of voucher %(voucher)s"))
OF_ANOTHER = Template(gettext_noop("order %(order)s belongs to somebody else"))
TOO_FEW = Template(gettext_noop("voucher %(voucher)s has fewer than %(units)s units left in SQL"))
#: Rows a statement: SQLite takes 32,766 values at most.
MAX_STATEMENT_ROWS = 1_000
RowSource = tuple[str, list[Any]]
# WHERE, because SQLite would take "ON" for that of a join.
_SKIP_CONFLICTS = "WHERE true ON CONFLICT DO NOTHING RETURNING id"
_COLUMN_TYPES = {int: "bigint", str: "text", datetime: "timestamptz", datetime | None: "timestamptz"}


class OrderRefused(Exception):
    """SQL refuses an accepted order for good; the message becomes the reason in its dead letter."""


class Row(NamedTuple):
    """The columns in which the orders of a batch differ, by their names in SQL."""

    id: int
    token: str
    user_id: int
    voucher_id: int
    price: int
    currency: str
    epoch: int
    accepted_at: datetime
    redeem_code: str
    valid_until: datetime | None
    piece: int


@dataclass(frozen=True)
class BatchResult:
    """The result of a batch: the number of new rows, and the orders that can never become one."""

    new: int
    refused: dict[AcceptedOrder, OrderRefused]


def record(accepted: Iterable[AcceptedOrder]) -> BatchResult:
    """Write the rows that are missing and take their units from the sales' stock.

    Raises OrderRefused where a sale has too few units for the batch, django.db.IntegrityError where a person
    is missing, and then writes nothing.
    """
    refused: dict[AcceptedOrder, OrderRefused] = {}
    wanted = _index_by_id(accepted, refused)
    with transaction.atomic():
        rows, deadline = _build_rows(wanted, refused), closing.payment_deadline()
        new = insert_rows(rows, pay_deadline=deadline)
        for made, why in _find_left_out([made for made in rows if made.id not in new]):
            refused[wanted[made.id]] = why
        _take_units(Counter(made.voucher_id for made in rows if made.id in new))
        effects.apply_recorded(
            [(made.user_id, made.id) for made in rows], new_deadlines=[deadline] if new else []
        )
    return BatchResult(len(new), refused)


def build_row(one: AcceptedOrder, sale: FlashSale | None, *, code: str) -> Row:
    """The unpaid row of an accepted order; raises OrderRefused without a sale.

    Redis has judged the window, by its clock and by the terms of that moment. Those of today may be others:
    what was promised to a buyer under the former is kept. Invariant I8 tells managers of any order outside.
    """
    if sale is None:
        raise OrderRefused(NO_SALE.fill(voucher=one.voucher_id))
    voucher = sale.voucher
    return Row(
        id=one.order_id,
        token=one.token,
        user_id=one.user_id,
        voucher_id=one.voucher_id,
        price=voucher.price,
        currency=voucher.currency,
        epoch=one.epoch,
        accepted_at=one.accepted_at,
        redeem_code=code,
        valid_until=voucher.valid_until,
        piece=one.piece,
    )


def _index_by_id(
    accepted: Iterable[AcceptedOrder], refused: dict[AcceptedOrder, OrderRefused]
) -> dict[int, AcceptedOrder]:
    """Each order once, by its id: an entry may be delivered twice."""
    wanted: dict[int, AcceptedOrder] = {}
    for one in accepted:
        first = wanted.setdefault(one.order_id, one)
        if (first.user_id, first.voucher_id) != (one.user_id, one.voucher_id):
            refused[one] = _belongs_to_another(one.order_id)
    return wanted


def _build_rows(wanted: dict[int, AcceptedOrder], refused: dict[AcceptedOrder, OrderRefused]) -> list[Row]:
    sales = FlashSale.objects.select_related("voucher").in_bulk({one.voucher_id for one in wanted.values()})
    rows = []
    # One order for every consumer: two that hold the same rows can't wait for each other in a circle.
    for number, code in zip(sorted(wanted), redeem_codes.draw(len(wanted)), strict=True):
        one = wanted[number]
        try:
            rows.append(build_row(one, sales.get(one.voucher_id), code=code))
        except OrderRefused as why:
            refused[one] = why
    return rows


def _find_left_out(rows: Sequence[Row]) -> Iterator[tuple[Row, OrderRefused]]:
    """Orders that a constraint refused, without those that have their row already: their entry came twice."""
    if not rows:
        return
    there = VoucherOrder.objects.filter(pk__in=[row.id for row in rows])
    found = there.values_list("id", "user_id", "voucher_id")
    holders = {number: (user, voucher) for number, user, voucher in found}
    for made in rows:
        holder = holders.get(made.id)
        if holder is None:
            yield made, OrderRefused(HAS_ANOTHER.fill(person=made.user_id, voucher=made.voucher_id))
        elif holder != (made.user_id, made.voucher_id):
            yield made, _belongs_to_another(made.id)


def _belongs_to_another(order_id: int) -> OrderRefused:
    return OrderRefused(OF_ANOTHER.fill(order=order_id))


def _take_units(taken: Counter[int]) -> None:
    for voucher_id, units in sorted(taken.items()):
        sale = FlashSale.objects.filter(pk=voucher_id, stock_left__gte=units)
        if not sale.update(stock_left=F("stock_left") - units):
            raise OrderRefused(TOO_FEW.fill(voucher=voucher_id, units=units))


def insert_rows(rows: Sequence[Row], *, pay_deadline: datetime) -> set[int]:
    """The ids of the rows written, as unpaid orders; rows that a unique constraint refuses are left out."""
    new = set[int]()
    as_stored = connection.ops.adapt_datetimefield_value
    fixed = [Status.UNPAID.value, as_stored(timezone.now()), as_stored(pay_deadline)]
    with connection.cursor() as cursor:
        for start in range(0, len(rows), MAX_STATEMENT_ROWS):
            source, values = _SOURCE_BY_VENDOR[connection.vendor](rows[start : start + MAX_STATEMENT_ROWS])
            statement = f"{_INSERT_INTO} SELECT %s, %s, %s, * FROM {source} {_SKIP_CONFLICTS}"  # noqa: S608
            cursor.execute(statement, [*fixed, *values])
            new |= {number for (number,) in cursor.fetchall()}
    return new


# Only names of this file are in the text of a statement.
_INSERT_INTO = (
    f"INSERT INTO {VoucherOrder._meta.db_table} (status, created_at, pay_deadline, {', '.join(Row._fields)})"
)


def _unnest_source(rows: Sequence[Row]) -> RowSource:
    """PostgreSQL: an array a column."""
    return _UNNEST, [_array_literal(column) for column in zip(*rows, strict=True)]


_UNNEST = f"unnest({', '.join(f'%s::{_COLUMN_TYPES[kind]}[]' for kind in Row.__annotations__.values())})"


def _array_literal(column: Iterable[Any]) -> str:
    """A literal, whose quotes suit every type; psycopg takes three times as long to make it of a list."""
    items = ("NULL" if item is None else f'"{_escape(str(item))}"' for item in column)
    return "{" + ",".join(items) + "}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _values_source(rows: Sequence[Row]) -> RowSource:
    """SQLite: a list of rows, with a placeholder for each value."""
    as_stored = connection.ops.adapt_datetimefield_value
    values = [as_stored(value) if isinstance(value, datetime) else value for row in rows for value in row]
    return f"(VALUES {', '.join([_PLACEHOLDERS] * len(rows))})", values


_PLACEHOLDERS = f"({', '.join(['%s'] * len(Row._fields))})"
_SOURCE_BY_VENDOR: dict[str, Callable[[Sequence[Row]], RowSource]] = {
    "postgresql": _unnest_source,
    "sqlite": _values_source,
}
