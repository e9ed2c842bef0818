"""The sale in other languages answers as ours does, and what the bench takes out of our scripts is there."""

import json
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import redis

from apps.coupons.claims import seckill
from apps.coupons.gateway.admission import ADMIT
from lab.bench.seckill import language_group, left_out_names, other_languages, web_servers
from lab.bench.seckill.baselines import sale as baseline_sale
from lab.bench.seckill.other_languages import Missing
from tests.sites import Site, wait_until

GO_PACKAGES = "apt-get install golang-go golang-github-gomodule-redigo-dev"


@pytest.mark.parametrize("promise", left_out_names.PROMISES)
def test_what_a_promise_leaves_out_stands_in_the_scripts(promise: str) -> None:
    """A script that was written anew has to be taken apart anew."""
    text = seckill.CLAIM.text + ADMIT.text
    for piece, instead in left_out_names.PIECES[promise].items():
        assert piece in text
        assert instead not in text.replace(piece, "") or instead == "if false then"


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (other_languages.build_go, "Go is left out: there is no go .apt-get install golang-go."),
        (other_languages.build_node, "Node is left out: there is no node with npm"),
    ],
)
def test_a_language_that_is_not_here_says_what_to_install(
    build: Callable[[Path], list[str]], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match=sentence):
        build(tmp_path)


def claim(url: str, voucher_id: int, token: str) -> tuple[int, dict[str, str]]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    address = f"{url}/api/vouchers/{voucher_id}/seckill"
    request = urllib.request.Request(address, method="POST", data=b"{}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)


@pytest.mark.fault
@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("Node", marks=pytest.mark.program("npm", "apt-get install nodejs npm")),
        pytest.param("Go", marks=pytest.mark.program("go", GO_PACKAGES)),
    ],
)
def test_the_sale_in_another_language_keeps_its_rules(name: str, tmp_path: Path) -> None:
    """Built and started as in the bench: a unit each, no second one, no more than there are."""
    command = language_group.LANGUAGES[name](tmp_path)
    with (
        Site(tmp_path / "site") as site,
        redis.Redis.from_url(site.redis_url, decode_responses=True) as store,
        web_servers.run_other(site, command) as server,
    ):
        baseline_sale.create_log_ins(store, ["t1", "t2", "t3"])
        baseline_sale.open_sales(store, [7], stock=2)
        status, said = claim(server.url, 7, "t1")
        assert (status, set(said)) == (201, {"order_id"})
        assert claim(server.url, 7, "t1") == (409, {"code": "already_bought"})
        assert claim(server.url, 7, "t2")[0] == 201
        assert claim(server.url, 7, "t3") == (409, {"code": "sold_out"})
        assert claim(server.url, 8, "t3") == (404, {"code": "not_found"})
        assert claim(server.url, 7, "nobody") == (401, {"code": "not_logged_in"})
        assert store.xlen(baseline_sale.ORDERS) == 2


def test_the_others_orders_become_rows_of_the_sites_table(tmp_path: Path) -> None:
    """With the site's constraints: an order that comes twice is one row."""
    with (
        Site(tmp_path / "site") as site,
        redis.Redis.from_url(site.redis_url, decode_responses=True) as store,
    ):
        entry = {"order": "170000000000000001", "voucher": "7", "user": "5"}
        for order in (entry, entry, entry | {"order": "170000000000000002", "user": "6"}):
            store.xadd(baseline_sale.ORDERS, order)
        with web_servers.run_baseline_consumer(site):
            wait_until(lambda: not store.xlen(baseline_sale.ORDERS), seconds=30)
        with closing(sqlite3.connect(site.directory / "baseline.sqlite3")) as rows:
            found = rows.execute(
                "SELECT id, user_id, voucher_id, status FROM coupons_voucherorder ORDER BY id"
            )
            kept = found.fetchall()
        assert kept == [(170000000000000001, 5, 7, "unpaid"), (170000000000000002, 6, 7, "unpaid")]
