"""Measures what a request costs when stock, buyers, sales or accounts are very many."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path

from apps.accounts import keys as account_keys
from apps.accounts.sessions import token_cache
from apps.coupons import keys
from lab.bench import reports
from lab.bench.seckill import case_rounds, sale_site
from lab.bench.seckill.case_rounds import Case, Measured, Section
from lab.bench.seckill.harness import JUST_NOW, Bench
from lab.bench.seckill.request_generator import RequestPlan

#: Largest allowed cost ratio of a million of something to none; anything below is noise.
MAX_GROWTH = 1.25
#: First user id and first order id of people who are in Redis only.
STRANGERS, OLD_ORDERS = 100_000_000, 1_000_000
BATCH_BUYERS = 5_000
HEAD = (
    "sale",
    "web µs",
    "Redis µs",
    "together",
    "against plain",
    "requests/s",
    "p99 ms",
    "other answers",
)
ADD_BUYERS_LUA = """
local now = tonumber(redis.call("TIME")[1])
for place, copy in ipairs(KEYS) do
  local user = ARGV[1] + place
  local kept = string.format("%d:%d:%d:%d", user, user, now + ARGV[4], now + ARGV[3])
  redis.call("SET", copy, kept, "EX", ARGV[2])
end
"""
#: Sales that a round reaches at most; later ones need no buyers.
BUSY_SALES = 4
#: Redis key of the earlier buyers, which each sale gets a copy of.
CROWD_BEFORE = "baseline:buyers-before"
#: One for each connection: no two requests that are under way are for the same sale.
FEW_SALES = 64
#: Units of a sale that has very many.
LARGE_STOCK = 1_000_000


def measure_cost(bench: Bench) -> Section:
    """Measure web's and Redis's CPU time per accepted request, each time with one quantity large."""
    phases = [phase(bench) for phase in (_large_sales, _many_sales, _many_accounts)]
    # A large case is compared with the plain one that took turns with it, and that with the first.
    pairs = [(one, phase[0]) for phase in phases for one in phase[1:]]
    pairs += [(phase[0], phases[0][0]) for phase in phases[1:]]
    plains = {id(one): plain for one, plain in pairs}
    bars = [
        case_rounds.at_most(
            f"processor time, {one.case.name}",
            _total_microseconds(one) / _total_microseconds(plain),
            MAX_GROWTH,
        )
        for one, plain in pairs
    ]
    # Requests that share no call cost more; that there are so many sales must not cost more still.
    few, many = phases[1][1:]
    grown = f"processor time, {many.case.name}, against {few.case.name}"
    bars.append(case_rounds.at_most(grown, _total_microseconds(many) / _total_microseconds(few), MAX_GROWTH))
    everything = [one for phase in phases for one in phase]
    table = reports.markdown_table(HEAD, [_row(one, plains.get(id(one), one)) for one in everything])
    about = (
        "In stock, 64 connections, the consumer paused. Processor time of the web process and of "
        "redis-server for a request, which neighbours don't disturb. A large case takes turns with a plain "
        "one and is compared with it; a later plain one, with all that is above it in the same Redis, is "
        "compared with the first. Requests for one sale that come together share a call of the script; "
        "where each asks for another sale, each brings the work of a sale along, whether there are a "
        "thousand sales or one for each connection."
    )
    bars.append(case_rounds.documented(everything))
    return Section("The flash sale, cost against size", about, table, bars)


def _large_sales(bench: Bench) -> list[Measured]:
    many = f"{bench.sizes.buyers:,} buyers before"
    return bench.measure(
        bench.in_stock("plain: a new sale, a unit for each buyer", bench.web),
        bench.in_stock(f"{LARGE_STOCK:,} units", bench.web, stock=LARGE_STOCK),
        bench.in_stock(many, bench.web, prepare=partial(_add_buyers, bench)),
        rounds=bench.sizes.few_rounds,
    )


def _many_sales(bench: Bench) -> list[Measured]:
    bench.say(f"{bench.sizes.sales:,} sales")
    few, many = bench.ground.sales(FEW_SALES), bench.ground.sales(bench.sizes.sales)
    return bench.measure(
        bench.in_stock(f"plain, beside {len(many):,} other sales", bench.web),
        *(_spread(bench, f"{len(some):,} sales at once", some) for some in (few, many)),
        rounds=bench.sizes.few_rounds,
    )


def _many_accounts(bench: Bench) -> list[Measured]:
    name = f"{bench.sizes.accounts:,} accounts"
    bench.say(name)
    everybody = _accounts(bench)
    return bench.measure(
        bench.in_stock(f"plain, beside {name}", bench.web),
        _strangers(bench, f"from {name}", everybody),
        rounds=bench.sizes.few_rounds,
    )


def _total_microseconds(one: Measured) -> float:
    """Return the microseconds of web and Redis together."""
    return one.web + one.redis


def _row(one: Measured, plain: Measured) -> list[str]:
    name, rate, _, p99, web, in_redis, _, others = one.row()
    together = [
        f"{_total_microseconds(one):.1f}",
        f"{_total_microseconds(one) / _total_microseconds(plain):.2f}",
    ]
    return [name, web, in_redis, *together, rate, p99, others]


def _spread(bench: Bench, name: str, sales: list[int]) -> Case:
    """Build a case whose requests each go to another sale; a round begins beyond earlier ones."""
    starts = count(0, bench.sizes.seconds * sale_site.MAX_RATE)

    def aim() -> RequestPlan:
        aimed = bench.ground.aim(bench.web, sales, bench.sizes.seconds)
        return replace(aimed, spread=True, first=next(starts))

    return Case(
        name, bench.meter(bench.web), aim, after=lambda aim: sale_site.delete_waiting_orders(bench.node)
    )


def _strangers(bench: Bench, name: str, everybody: Path) -> Case:
    """Build an in-stock case with people from a very large number; one sale has stock for all."""
    # They are in Redis only: SQL could not hear of their uses.
    case = bench.in_stock(name, bench.web, stock=LARGE_STOCK, before=JUST_NOW)
    return replace(case, aim=lambda: replace(case.aim(), tokens=everybody))


def _add_buyers(bench: Bench, sales: Sequence[int]) -> None:
    """Give each of the sales very many buyers in Redis."""
    if not bench.node.exists(CROWD_BEFORE):
        for start in range(0, bench.sizes.buyers, BATCH_BUYERS):
            held: list[str] = []
            for number in range(start, start + BATCH_BUYERS):
                held += [str(STRANGERS + number), f"{OLD_ORDERS + number}:before"]
            bench.node.hset(CROWD_BEFORE, items=held)
    for voucher_id in sales[:BUSY_SALES]:
        bench.node.copy(CROWD_BEFORE, keys.for_sale(voucher_id).buyers)


def _accounts(bench: Bench) -> Path:
    """Store very many cached log-ins as lua/fill_token does; return the file of their tokens."""
    written = bench.ground.site.directory / "accounts.txt"
    plant = bench.node.register_script(ADD_BUYERS_LUA)
    spans = (token_cache.COPY_TTL, token_cache.SLIDE_INTERVAL, token_cache.SQL_RENEW_INTERVAL)
    seconds = [int(span.total_seconds()) for span in spans]
    with written.open("w") as file:
        for start in range(0, bench.sizes.accounts, BATCH_BUYERS):
            # Each names its person, as log-ins do; the script counts places from 1.
            some = [
                f"{secrets.token_urlsafe(32)}.{STRANGERS + start + place}"
                for place in range(1, BATCH_BUYERS + 1)
            ]
            copies = [account_keys.TOKEN(digest=sha256(token.encode()).hexdigest()) for token in some]
            plant(keys=copies, args=[STRANGERS + start, *seconds])
            file.writelines(f"{token}\n" for token in some)
    return written
