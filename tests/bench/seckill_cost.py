"""What a request costs when everything around it is large: stock, buyers, sales, accounts."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path

from apps.accounts import keys as account_keys
from apps.accounts import token_copies
from apps.coupons import keys
from tests.bench import page, seckill_ground, seckill_rounds
from tests.bench.seckill_bench import Bench
from tests.bench.seckill_load import Aim
from tests.bench.seckill_rounds import Case, Measured, Section

#: A million of something may cost that much more than none: below, it is noise.
GROWTH = 1.25
#: User ids and order ids of people who are in Redis only.
STRANGERS, OLD_ORDERS = 100_000_000, 1_000_000
AT_A_TIME = 5_000
HEAD = (
    "sale",
    "web µs",
    "Redis µs",
    "together",
    "against the plain one",
    "requests/s",
    "p99 ms",
    "other answers",
)
PLANT = """
local now = tonumber(redis.call("TIME")[1])
for place, copy in ipairs(KEYS) do
  local user = ARGV[1] + place
  redis.call("HSET", copy, "user", user, "id", user, "seen", now, "due", now + ARGV[3])
  redis.call("EXPIRE", copy, ARGV[2])
end
"""
#: Sales that a round comes to at most; those behind them need no buyers.
BUSY_SALES = 4
#: In stock at one go: how many units a plain sale has more than its crowd, and a large one.
LARGE_STOCK = 1_000_000


def cost(bench: Bench) -> Section:
    """Processor time of web and Redis for an accepted request, each time with one thing large."""
    sizes, rounds = bench.sizes, max(1, bench.sizes.rounds - 2)
    plain, *rest = bench.measure(
        bench.in_stock("plain: new sales, a unit for each buyer", bench.web),
        bench.in_stock(f"{LARGE_STOCK:,} units", bench.web, stock=LARGE_STOCK),
        bench.in_stock(f"{sizes.buyers:,} buyers before", bench.web, prepare=partial(_add_buyers, bench)),
        rounds=rounds,
    )
    bench.say(f"{sizes.sales:,} sales")
    many = bench.ground.sales(sizes.sales)
    rest += bench.measure(
        bench.in_stock(f"{sizes.sales:,} other sales", bench.web),
        _spread(bench, f"{sizes.sales:,} sales, each request another's", many),
        rounds=rounds,
    )
    bench.say(f"{sizes.accounts:,} accounts")
    everybody = _accounts(bench)
    rest += bench.measure(_strangers(bench, f"{sizes.accounts:,} accounts", everybody), rounds=rounds)
    bars = [
        seckill_rounds.at_most(f"processor time with {one.case.name}", _ratio(one, plain), GROWTH)
        for one in rest
    ]
    about = (
        "In stock, 64 connections, the consumer paused. Processor time of the web process and of "
        "redis-server for a request, which neighbours don't disturb; each line has what the lines "
        "above it made, in the same Redis."
    )
    everything = [plain, *rest]
    table = page.table(HEAD, [_row(one, plain) for one in everything])
    bars.append(seckill_rounds.documented(everything))
    return Section("The flash sale, cost against size", about, table, bars)


def _row(one: Measured, plain: Measured) -> list[str]:
    name, rate, _, p99, web, in_redis, _, others = one.row()
    return [name, web, in_redis, f"{one.web + one.redis:.1f}", f"{_ratio(one, plain):.2f}", rate, p99, others]


def _ratio(one: Measured, plain: Measured) -> float:
    return (one.web + one.redis) / (plain.web + plain.redis)


def _spread(bench: Bench, name: str, sales: list[int]) -> Case:
    """Each request asks for another sale; a round begins where no earlier one came to."""
    starts = count(0, bench.sizes.seconds * seckill_ground.FASTEST)

    def aim() -> Aim:
        aimed = bench.ground.aim(bench.web, sales, bench.sizes.seconds)
        return replace(aimed, spread=True, first=next(starts))

    return Case(name, bench.meter(bench.web), aim, after=lambda aim: seckill_ground.forget_orders(bench.node))


def _strangers(bench: Bench, name: str, everybody: Path) -> Case:
    """As in_stock, by people out of very many; one sale has units for all."""
    case = bench.in_stock(name, bench.web, stock=LARGE_STOCK)
    return replace(case, aim=lambda: replace(case.aim(), tokens=everybody))


def _add_buyers(bench: Bench, sales: Sequence[int]) -> None:
    """Each of the sales has been bought by very many, as far as Redis knows."""
    for voucher_id in sales[:BUSY_SALES]:
        for start in range(0, bench.sizes.buyers, AT_A_TIME):
            held: list[str] = []
            for number in range(start, start + AT_A_TIME):
                held += [str(STRANGERS + number), f"{OLD_ORDERS + number}:before"]
            bench.node.hset(keys.of_sale(voucher_id).buyers, items=held)


def _accounts(bench: Bench) -> Path:
    """Hot copies of so many log-ins, with the fields of lua/fill_token; the file of their tokens."""
    written = bench.ground.site.directory / "accounts.txt"
    plant = bench.node.register_script(PLANT)
    lives = [int(each.total_seconds()) for each in (token_copies.COPY_TTL, token_copies.RENEW_EVERY)]
    with written.open("w") as file:
        for start in range(0, bench.sizes.accounts, AT_A_TIME):
            some = [secrets.token_urlsafe(32) for _ in range(AT_A_TIME)]
            copies = [account_keys.TOKEN(digest=sha256(token.encode()).hexdigest()) for token in some]
            plant(keys=copies, args=[STRANGERS + start, *lives])
            file.writelines(f"{token}\n" for token in some)
    return written
