"""A private site for the flash sale's bench, with people and as many fresh sales as needed."""

import json
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import redis

from apps.accounts import keys as account_keys
from apps.accounts.sessions import token_cache
from apps.coupons import keys
from lab.bench.seckill import request_generator
from lab.bench.seckill.baselines import sale as baseline_sale
from lab.bench.seckill.request_generator import RequestPlan
from lab.bench.seckill.web_servers import Server
from lab.load import crowd_processes
from tests.books import Books
from tests.crowd import people
from tests.crowd.buyers import Crowd
from tests.crowd.request_templates import Crowd as RequestCrowd
from tests.sites import Site

#: Requests a second for which there must be enough people, so that none claims twice.
MAX_RATE = 40_000 if request_generator.WRK else 10_000
#: Sales made at a time, since Django has to start for it.
BATCH_SALES = 64
#: Seconds of a sale: a day.
SALE_SECONDS = "86400"
#: People beside the crowd, for single claims between rounds.
SPARE_SALES = 16
#: How long ago the crowd was here: its log-ins have copies, and each is due to be renewed in SQL.
LAST_USED_SECONDS = 26 * 3_600
#: Copies aged by one call, and seconds for which no further log-in is renewed once all are.
BATCH_COPIES, QUIET_SECONDS = 5_000, 2.0
AGE_LUA = """
for _, copy in ipairs(KEYS) do
  local user, token = string.match(redis.call("GET", copy) or "", "^(%d+):(%d+):")
  if user then
    local used = redis.call("TIME")[1] - ARGV[1]
    local kept = string.format("%s:%s:%d:%d", user, token, used + ARGV[2], used + ARGV[3])
    redis.call("SET", copy, kept, "EX", ARGV[4])
  end
end
"""


@dataclass(frozen=True)
class Reply:
    """One reply: its status and its JSON object."""

    status: int
    body: dict[str, Any]


class SaleSite:
    """A site without servers, its city, its Redis, and a file with the people's tokens."""

    def __init__(self, site: Site, people_count: int, shops: int) -> None:
        self.site, self.people = site, people_count
        self.redis_url = site.environment["REDIS_URL"] or site.redis_url
        self.books = Books(database_url=site.environment["DATABASE_URL"], redis_url=self.redis_url)
        site.manage("seed_demo", "--shops", str(shops), "--verbosity", "0")
        # A shop that lists show: its sales have pages.
        self.shop = self.books.select("SELECT max(id) FROM shops_shop WHERE is_listed")[0][0]
        minted = site.directory / "minted.txt"
        site.manage(
            "mint_tokens", "--users", str(self.people + SPARE_SALES), "--out", str(minted), "--verbosity", "0"
        )
        everybody = minted.read_text().split()
        self.crowd, self.spare = everybody[:people_count], everybody[people_count:]
        self.tokens = site.directory / "tokens.txt"
        self.tokens.write_text("\n".join(self.crowd) + "\n")
        self._copies = [account_keys.TOKEN(digest=sha256(raw.encode()).hexdigest()) for raw in self.crowd]
        #: Unused sales, by their stock.
        self._sales: dict[int, list[int]] = {}
        self._aims = 0

    def sales(self, count: int, *, stock: int = 0, begins_in: int = 0) -> list[int]:
        """Create sales and return their voucher ids; without `stock` each has a unit for everybody."""
        words = {"--count": count, "--stock": stock or self.people + SPARE_SALES, "--begins-in": begins_in}
        words |= {"--shop": self.shop}
        options = [str(word) for pair in words.items() for word in pair]
        made = self.site.manage("create_sale", *options, "--lasts", SALE_SECONDS, "--json")
        return [int(json.loads(line)["voucher_id"]) for line in made.splitlines()]

    def fresh(self, seconds: int, *, stock: int = 0) -> list[int]:
        """Return sales without orders, enough for a crowd of so many seconds."""
        wanted = -(-seconds * MAX_RATE // self.people)
        kept = self._sales.setdefault(stock, [])
        if len(kept) < wanted:
            kept += self.sales(max(wanted, BATCH_SALES), stock=stock)
        taken, kept[:] = kept[:wanted], kept[wanted:]
        return taken

    def aim(
        self,
        server: Server,
        sales: Sequence[int],
        seconds: int,
        connections: int = 64,
        *,
        crowd: RequestCrowd | None = None,
    ) -> RequestPlan:
        """Plan requests to a server, with keys no other plan uses; by a mixed crowd unless one is given."""
        self._aims += 1
        kinds = crowd or people.claims_mixed()
        return RequestPlan(
            server.url, sales, self.tokens, f"aim{self._aims}-", connections, seconds, crowd=kinds
        )

    def ask(self, server: Server, voucher_id: object, *, token: str = "", key: str = "") -> Reply:
        """Make one claim, outside the crowd."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"Idempotency-Key": key} if key else {}
        url = f"{server.url}/api/vouchers/{voucher_id}/seckill"
        request = urllib.request.Request(url, method="POST", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return Reply(answer.status, json.load(answer))
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Reply(refusal.code, json.load(refusal))

    def send_home(self, node: redis.Redis) -> None:
        """Make everybody of the crowd somebody who was here yesterday, for Redis."""
        spans = [token_cache.SQL_RENEW_INTERVAL, token_cache.SLIDE_INTERVAL, token_cache.COPY_TTL]
        seconds = [int(span.total_seconds()) for span in spans]
        age = node.register_script(AGE_LUA)
        for start in range(0, len(self._copies), BATCH_COPIES):
            age(keys=self._copies[start : start + BATCH_COPIES], args=[LAST_USED_SECONDS, *seconds])

    def forget_copies(self, node: redis.Redis) -> None:
        """Make Redis know nobody of the crowd."""
        for start in range(0, len(self._copies), BATCH_COPIES):
            node.unlink(*self._copies[start : start + BATCH_COPIES])

    def await_renewals(self) -> None:
        """Wait until SQL has heard of everybody who was here."""
        before, seen = None, self._last_seen()
        while before != seen:
            time.sleep(QUIET_SECONDS)
            before, seen = seen, self._last_seen()

    def _last_seen(self) -> object:
        return self.books.select("SELECT max(last_seen_at) FROM accounts_accesstoken")

    def reconcile(self) -> str:
        """Return "clean", or the rules that the site's reconciliation finds broken, or its error."""
        done = self.site.run("reconcile", "--json", "--part", "coupons")
        try:
            found = json.loads(done.stdout)
        except ValueError:
            return (done.stderr.strip() or f"it ended with {done.returncode}").rpartition("\n")[2]
        return "clean" if found["clean"] else ", ".join(sorted({one["aspect"] for one in found["left"]}))

    def everybody_buys(self, server: Server, voucher_id: int) -> None:
        """Make one claim for each person of the crowd; AssertionError unless all succeed."""
        buyers = Crowd(server.url, voucher_id, self.crowd, prefix="first", kinds=people.BARE_BEARER)
        with crowd_processes.run_crowd(buyers, 1) as busy:
            while not busy.done:
                time.sleep(0.1)
                busy.collect()
            busy.collect()
        sold = busy.tally.codes["201"]
        assert sold == self.people, f"{sold} of {self.people} could buy: {dict(busy.tally.codes)}"


def delete_sale_keys(node: redis.Redis, sales: Sequence[int]) -> None:
    """Delete what these sales left in Redis, where no consumer would collect it."""
    for voucher_id in sales:
        held = keys.for_sale(voucher_id)
        node.unlink(held.sale, held.stock, held.buyers, held.released, *baseline_sale.keys(voucher_id))
    delete_waiting_orders(node)


def delete_waiting_orders(node: redis.Redis) -> None:
    """Delete the orders that wait for a consumer."""
    queued = [keys.QUEUED(partition=place) for place in range(keys.PARTITIONS)]
    node.unlink(*keys.order_streams(), *queued, baseline_sale.ORDERS)


@contextmanager
def run_site(
    people_count: int, shops: int, environment: Mapping[str, str] | None = None
) -> Iterator[SaleSite]:
    """Run a site in a temporary directory for the block; `environment` is added to its own."""
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory:
        site = Site(Path(directory))
        site.environment |= environment or {}
        with site:
            yield SaleSite(site, people_count, shops)
