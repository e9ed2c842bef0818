"""Sets up people and sales for a crowd, and checks afterwards that every promise was kept."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from tests.books import Books, Orders
from tests.crowd.tally import Tally


class RunsManagement(Protocol):
    """Something that runs manage.py: a tests.sites.Site, or a test's quicker way."""

    def manage(self, *words: str) -> str: ...

    def run(self, *words: str) -> subprocess.CompletedProcess[str]: ...


@dataclass
class Verdict:
    """Whether every promise was kept; `broken` has a sentence for each that was not."""

    promises: int = 0
    rows: int = 0
    #: Orders beyond the units, of all sales.
    oversold: int = 0
    reconciled: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.broken


def create_people(site: RunsManagement, count: int) -> list[str]:
    """Create `count` load people and return their bearer tokens."""
    return site.manage("mint_tokens", "--users", str(count), "--out", "-", "--verbosity", "0").split()


def create_sale(site: RunsManagement, *, stock: int, lasts: float = 86_400) -> int:
    """Create a running sale and return its voucher's id."""
    return create_sales(site, 1, stock=stock, lasts=lasts).voucher_ids[0]


@dataclass(frozen=True)
class Sales:
    """Several sales, and when the last of them begins (unix seconds)."""

    voucher_ids: list[int]
    begins_at: float


def create_sales(
    site: RunsManagement,
    count: int,
    *,
    stock: int,
    begins_in: float = 0,
    lasts: float = 86_400,
    shop: int = 0,
) -> Sales:
    """Create `count` sales with so much stock each, in a shop that no list shows unless one is given."""
    words = {"--stock": stock, "--begins-in": begins_in, "--lasts": lasts, "--count": count}
    words |= {"--shop": shop} if shop else {}
    told = site.manage("create_sale", *(str(word) for pair in words.items() for word in pair), "--json")
    made = [json.loads(line) for line in told.splitlines()]
    begins = max(datetime.fromisoformat(one["begins_at"]).timestamp() for one in made)
    return Sales([int(one["voucher_id"]) for one in made], begins)


def reconcile(site: RunsManagement, *options: str) -> dict[str, Any]:
    """Return the report of `reconcile --json` on sales, queues and money, clean or not."""
    done = site.run("reconcile", "--json", "--part", "coupons", *options)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def check_promises(
    site: RunsManagement,
    books: Books,
    *,
    voucher_ids: Sequence[int],
    stock: int,
    tally: Tally,
    buyers: Sequence[int],
    more: int = 0,
) -> Verdict:
    """Compare what buyers were promised with the books of these sales, with `stock` units each.

    `buyers` are their user ids by number; `more` is how many orders were promised to unrecorded people.
    """
    rows = {voucher_id: books.orders(voucher_id) for voucher_id in voucher_ids}
    owners = {number: user for each in rows.values() for number, (user, _) in each.items()}
    verdict = Verdict(promises=len(tally.promised) + more, rows=len(owners), reconciled=reconcile(site))
    if more > len(owners) - len(tally.promised):
        verdict.broken.append(f"{more} orders were promised to the crush, and not all are rows")
    verdict.broken += _promise_violations(tally, rows=owners, buyers=buyers)
    for each in rows.values():
        verdict.broken += _sale_violations(each, stock)
        verdict.oversold += max(0, len(_active_buyers(each)) - stock)
    if not verdict.reconciled["clean"]:
        rules = sorted({one["aspect"] for one in verdict.reconciled["left"]})
        verdict.broken.append(f"reconcile finds: {', '.join(rules)}")
    return verdict


def _sale_violations(rows: Orders, stock: int) -> list[str]:
    """Return a sentence for each broken rule among one sale's orders."""
    active = _active_buyers(rows)
    broken = [f"oversold: {len(active)} orders of {stock} units"] if len(active) > stock else []
    return broken if len(active) == len(set(active)) else [*broken, "somebody holds two orders"]


def _active_buyers(rows: Orders) -> list[int]:
    return [user for user, status in rows.values() if status not in {"cancelled", "refunded"}]


def _promise_violations(tally: Tally, *, rows: dict[int, int], buyers: Sequence[int]) -> list[str]:
    broken = []
    twice = [buyer for buyer, orders in tally.promised.items() if len(orders) > 1]
    promised = {int(order): buyer for buyer, orders in tally.promised.items() for order in orders}
    missing = [order for order in promised if order not in rows]
    strangers = [
        order for order, buyer in promised.items() if rows.get(order, buyers[buyer]) != buyers[buyer]
    ]
    for wrong, what in (
        (twice, "buyers were promised two orders"),
        (missing, "promised orders are no rows"),
        (strangers, "promised orders belong to somebody else"),
    ):
        if wrong:
            broken.append(f"{len(wrong)} {what}, such as {wrong[0]}")
    return broken
