"""The oracle of the campaign, on ledgers and rows made up here: each kind of broken promise is found."""

import pytest

from lab.campaign import oracle
from lab.campaign.ledger import Ledger
from lab.campaign.oracle import Accounts, Row

ANN, BEN = 1, 2


def accounts(*rows: Row, stock: int = 10) -> Accounts:
    """SQL's side of a sale with these orders, counted rightly."""
    left = stock - sum(row.status in oracle.ACTIVE for row in rows)
    return Accounts(stock, left, list(rows), redis_stock=left)


def ledger(**told: str) -> Ledger:
    """A ledger in which Ann has order 7 and Ben order 8, each last told as given."""
    made = Ledger()
    for order_id, (name, person) in enumerate((("ann", ANN), ("ben", BEN)), start=7):
        if name in told:
            made.promise(order_id, person, "receipt").told = told[name]
    return made


def found(book: Ledger, sql: Accounts) -> dict[str, int]:
    verdict = oracle.judge(book, sql)
    counts = {kind: count for kind, count in verdict.counts.items() if count}
    assert len(verdict.broken) == sum(counts.values()) - counts.get("named", 0)
    return counts


def test_kept_promises_hold() -> None:
    assert (
        found(ledger(ann="unpaid", ben="paid"), accounts(Row(7, ANN, "unpaid"), Row(8, BEN, "unpaid"))) == {}
    )


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("accepted", "silent"),
        ("gone", "silent"),
        ("queued", "lost"),
        ("unpaid", "lost"),
        ("lost", "named"),
        ("cancelled", "named"),
    ],
)
def test_an_order_without_a_row_is_what_its_person_was_told(told: str, kind: str) -> None:
    assert found(ledger(ann=told), accounts()) == {kind: 1}


def test_what_was_seen_recorded_may_not_vanish() -> None:
    book = ledger(ann="lost")
    book.promises[7].recorded = True
    assert found(book, accounts()) == {"lost": 1}


def test_two_orders_of_one_person_are_doubled() -> None:
    assert found(ledger(), accounts(Row(7, ANN, "unpaid"), Row(8, ANN, "paid"))).pop("doubled") == 1
    assert found(ledger(), accounts(Row(7, ANN, "cancelled"), Row(8, ANN, "unpaid"))) == {}


def test_an_order_of_two_people_is_doubled() -> None:
    book = ledger(ann="unpaid")
    book.promise(7, BEN)
    assert found(book, accounts(Row(7, ANN, "unpaid"))) == {"doubled": 1}
    assert found(ledger(ann="unpaid"), accounts(Row(7, BEN, "unpaid"))) == {"doubled": 1}


def test_more_orders_than_units_are_oversold() -> None:
    sql = accounts(Row(7, ANN, "unpaid"), Row(8, BEN, "unpaid"), stock=2)
    sql.stock_total = 1
    # Too many orders, and SQL's count of units fits neither.
    assert found(ledger(), sql) == {"oversold": 2}


@pytest.mark.parametrize("which", ["stock_left", "redis_stock"])
def test_units_that_do_not_add_up_are_oversold(which: str) -> None:
    sql = accounts(Row(7, ANN, "unpaid"))
    setattr(sql, which, 10)
    assert found(ledger(ann="unpaid"), sql)["oversold"] >= 1


def test_money_follows_the_order() -> None:
    book = ledger(ann="paid")
    book.promises[7].paid = True
    sql = accounts(Row(7, ANN, "paid"))
    sql.payments = [(7, "succeeded")]
    assert found(book, sql) == {}
    sql.payments = [(7, "succeeded"), (7, "succeeded")]
    assert found(book, sql) == {"unpaid": 1}
    sql.payments = [(7, "begun")]
    # Paid by nobody, and the bank's money is unknown.
    assert found(book, sql) == {"unpaid": 2}
    sql = accounts(Row(7, ANN, "cancelled"))
    sql.payments = [(7, "succeeded")]
    assert found(book, sql) == {"unpaid": 1}
    sql.payments = [(7, "refunding")]
    assert found(book, sql) == {}


def test_a_dead_letter_needs_a_person_who_knows() -> None:
    sql = accounts(Row(7, ANN, "unpaid"))
    sql.dead_letters = [(7, "no unit is left"), (99, "never accepted: the entry is forged")]
    assert found(ledger(ann="unpaid"), sql) == {"dead": 1}


def test_answers_that_nobody_may_get_are_errors() -> None:
    book = Ledger()
    book.answer("claim", 503, "busy", waits=True)
    book.answer("claim", 409, "sold_out", waits=False)
    assert found(book, accounts()) == {}
    book.answer("claim", 503, "busy", waits=False)
    book.answer("look", 500, "", waits=False)
    assert found(book, accounts()) == {"errors": 2}
