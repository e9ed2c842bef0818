"""Judges a sale by its people's ledger and plain SQL; it knows no model and none of the site's own checks."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lab.campaign.ledger import Ledger, Promise
from tests.books import Books

#: An order in one of these holds its unit.
ACTIVE = {"unpaid", "paid", "used"}
#: What a person may have been told of an order that has no row: all of it says to grab again.
NAMED = {"lost", "cancelled", "already_bought"}
#: States of a payment whose money the shop has, or gives back.
TAKEN, RETURNED = {"succeeded"}, {"refunding", "refunded"}


class Row(NamedTuple):
    order_id: int
    person: int
    status: str


@dataclass
class Accounts:
    """One sale in SQL: its orders, units, payments (order id, state), dead letters (order id, reason)."""

    stock_total: int
    stock_left: int
    rows: list[Row] = field(default_factory=list)
    payments: list[tuple[int, str]] = field(default_factory=list)
    dead_letters: list[tuple[int | None, str]] = field(default_factory=list)
    #: Units that Redis sells from, once nothing is under way; None where it holds no sale.
    redis_stock: int | None = None


@dataclass
class Verdict:
    """How many promises broke in which way, with a sentence for each; `named` is allowed and counted."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def note(self, kind: str, sentences: Iterable[str]) -> None:
        found = list(sentences)
        self.counts[kind] += len(found)
        self.broken += [f"{kind}: {sentence}" for sentence in found]


def read_accounts(books: Books, voucher_id: int) -> Accounts:
    """SQL's side of one sale, and the units in Redis."""
    orders = f"SELECT id FROM coupons_voucherorder WHERE voucher_id = {voucher_id:d}"
    [(total, left)] = books.select(
        f"SELECT stock_total, stock_left FROM coupons_flashsale WHERE voucher_id = {voucher_id:d}"
    )
    return Accounts(
        total,
        left,
        [Row(number, *about) for number, about in books.orders(voucher_id).items()],
        [(int(order), state) for order, state in books.select(
            f"SELECT order_id, state FROM coupons_payment WHERE order_id IN ({orders})"
        )],
        [(order, reason) for order, reason, fields in books.select(
            "SELECT order_id, reason, fields FROM coupons_deadletter"
        ) if f'"{voucher_id}"' in str(fields)],
        books.stock(voucher_id),
    )  # fmt: skip


def judge(ledger: Ledger, accounts: Accounts) -> Verdict:
    """The verdict on everything that the people were told."""
    verdict, rows = Verdict(), {row.order_id: row for row in accounts.rows}
    missing = [one for one in ledger.promises.values() if one.order_id not in rows]
    verdict.counts["named"] = sum(_is_named(one) for one in missing)
    # Lost: the site still says that the order is there. Silent: it says nothing, or "never heard of it".
    unnamed = [one for one in missing if not _is_named(one)]
    verdict.note("silent", (_describe(one) for one in unnamed if one.told in {"accepted", "gone"}))
    verdict.note("lost", (_describe(one) for one in unnamed if one.told not in {"accepted", "gone"}))
    verdict.note("doubled", _doubled(ledger, rows, accounts.rows))
    verdict.note("oversold", _miscounted(accounts))
    verdict.note("unpaid", _mispaid(ledger, rows, accounts.payments))
    verdict.note("dead", _unexplained(accounts.dead_letters, ledger))
    verdict.note("errors", ledger.errors)
    return verdict


def _is_named(one: Promise) -> bool:
    """Whether the person was told that the order is over; one that was seen recorded may not vanish."""
    return one.told in NAMED and not one.recorded


def _describe(one: Promise) -> str:
    return f"order {one.order_id} of {one.person}, last told {one.told!r}, is no row"


def _doubled(ledger: Ledger, rows: dict[int, Row], all_rows: list[Row]) -> Iterable[str]:
    for order_id in ledger.told_twice:
        yield f"order {order_id} was told to two people"
    for one in ledger.promises.values():
        row = rows.get(one.order_id)
        if row and row.person != one.person:
            yield f"order {one.order_id} of {one.person} is the row of {row.person}"
    holders = Counter(row.person for row in all_rows if row.status in ACTIVE)
    for person, held in holders.items():
        if held > 1:
            yield f"{person} holds {held} orders"


def _miscounted(accounts: Accounts) -> Iterable[str]:
    active = sum(row.status in ACTIVE for row in accounts.rows)
    if active > accounts.stock_total:
        yield f"{active} orders of {accounts.stock_total} units"
    if accounts.stock_left != accounts.stock_total - active:
        yield f"SQL has {accounts.stock_left} units left of {accounts.stock_total}, with {active} sold"
    if accounts.redis_stock not in {None, accounts.stock_left}:
        yield f"Redis would sell {accounts.redis_stock} units, SQL {accounts.stock_left}"


def _mispaid(ledger: Ledger, rows: dict[int, Row], payments: list[tuple[int, str]]) -> Iterable[str]:
    taken = Counter(order for order, state in payments if state in TAKEN)
    returned = {order for order, state in payments if state in RETURNED}
    for order, times in taken.items():
        if times > 1:
            yield f"order {order} was paid {times} times"
        if order in rows and rows[order].status not in {"paid", "used"}:
            yield f"order {order} is {rows[order].status}, and its money is kept"
    for one in ledger.promises.values():
        if one.paid and one.order_id in rows and one.order_id not in taken and one.order_id not in returned:
            yield f"the bank took the money for order {one.order_id}, and the shop doesn't know"
    for row in rows.values():
        if row.status in {"paid", "used"} and row.order_id not in taken:
            yield f"order {row.order_id} is {row.status} without a payment"


def _unexplained(letters: list[tuple[int | None, str]], ledger: Ledger) -> Iterable[str]:
    """A dead letter is explained when its person knows that the order is over, or was promised none."""
    for order_id, reason in letters:
        one = ledger.promises.get(order_id or 0)
        if one is not None and one.told not in NAMED:
            yield f"order {order_id}, last told {one.told!r}: {reason}"
