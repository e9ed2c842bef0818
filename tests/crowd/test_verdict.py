"""The verdict finds every kind of broken promise, each planted here."""

import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.books import Books
from tests.crowd import site_setup
from tests.crowd.site_setup import Verdict
from tests.crowd.tally import Tally

#: The user ids of alice, bob and charlie, who are the buyers 0, 1 and 2.
BUYERS = [11, 12, 13]
Rows = list[tuple[int, int, str]]


class Clean:
    """A site whose `reconcile` finds nothing."""

    report: dict[str, object] = {"clean": True, "left": []}

    def manage(self, *words: str) -> str:
        return json.dumps(self.report)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, 0, self.manage(*words), "")


class Broken(Clean):
    report = {"clean": False, "left": [{"aspect": "I5 stock doesn't add up"}]}


Judge = Callable[[Rows, dict[int, set[str]]], Verdict]


@pytest.fixture
def books(tmp_path: Path) -> Books:
    path = tmp_path / "books.sqlite3"
    with closing(sqlite3.connect(path)) as connected:
        connected.execute("CREATE TABLE coupons_voucherorder (id, user_id, status, voucher_id)")
    return Books(database_url=f"sqlite:///{path}", redis_url="unix:///nowhere")


@pytest.fixture
def judge(books: Books) -> Judge:
    """Return a function judge(rows, promised) that gives the verdict on a sale of two units."""

    def judged(rows: Rows, promised: dict[int, set[str]]) -> Verdict:
        with books.sql() as cursor:
            cursor.executemany("INSERT INTO coupons_voucherorder VALUES (?, ?, ?, 7)", rows)
        tally = Tally(promised=promised)
        return site_setup.check_promises(Clean(), books, voucher_ids=[7], stock=2, tally=tally, buyers=BUYERS)

    return judged


def test_kept_promises_hold(judge: Judge) -> None:
    assert judge([(1, 11, "unpaid"), (2, 12, "paid")], {0: {"1"}, 1: {"2"}}).holds


def test_an_order_nobody_was_told_of_is_no_broken_promise(judge: Judge) -> None:
    """The answer was lost on its way, and the buyer never retried."""
    assert judge([(1, 11, "unpaid")], {}).holds


@pytest.mark.parametrize(
    ("rows", "promised", "sentence"),
    [
        ([], {0: {"1"}}, "1 promised orders are no rows, such as 1"),
        ([(1, 12, "unpaid")], {0: {"1"}}, "1 promised orders belong to somebody else, such as 1"),
        ([(1, 11, "cancelled"), (2, 11, "unpaid")], {0: {"1", "2"}}, "1 buyers were promised two orders"),
        ([(1, 11, "unpaid"), (2, 12, "paid"), (3, 13, "used")], {}, "oversold: 3 orders of 2 units"),
        ([(1, 11, "unpaid"), (2, 11, "paid")], {}, "somebody holds two orders"),
    ],
)
def test_a_broken_promise_is_named(
    judge: Judge, rows: Rows, promised: dict[int, set[str]], sentence: str
) -> None:
    verdict = judge(rows, promised)
    assert not verdict.holds
    assert sentence in " ".join(verdict.broken)


def test_a_reconciliation_that_finds_something_is_a_broken_promise(books: Books) -> None:
    verdict = site_setup.check_promises(
        Broken(), books, voucher_ids=[7], stock=2, tally=Tally(), buyers=BUYERS
    )
    assert verdict.broken == ["reconcile finds: I5 stock doesn't add up"]


def test_the_crush_s_orders_are_counted(books: Books) -> None:
    with books.sql() as cursor:
        cursor.execute("INSERT INTO coupons_voucherorder VALUES (1, 11, 'unpaid', 7)")
    for more, holds in ((1, True), (2, False)):
        verdict = site_setup.check_promises(
            Clean(), books, voucher_ids=[7], stock=2, tally=Tally(), buyers=BUYERS, more=more
        )
        assert verdict.holds is holds
