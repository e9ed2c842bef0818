"""One attack against a running sale: how others fare before, during and after, and what stays of it."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random

from lab.campaign import resources, rounds
from lab.campaign.attacks.bystanders import Bystanders
from lab.campaign.attacks.kinds import ATTACKS
from lab.campaign.attacks.senders import Target
from lab.campaign.buyers import Buyers, Person
from lab.campaign.city import City
from lab.campaign.resources import Usage

STOCK = 5_000
#: The site must be as before within so many seconds after an attack: slow clients are cut within twenty.
SETTLE_SECONDS = 30.0
#: What may stay: caches fill, buyers buy meanwhile, and others keep their connections open.
MOST_MEMORY_SHARE, MOST_MEMORY_BYTES = 0.05, 8_000_000
MOST_REDIS_BYTES, MOST_OPEN_FILES = 4_000_000, 100
#: A crowded machine is slow before the attack: then its p99 may be so many times as much.
MOST_TIMES = 2.0
#: Bytes of log a second.
MOST_LOG_BYTES = 4_000


@dataclass
class Phase:
    """Others' p99 in seconds, and what the site held at the end (during an attack: at most)."""

    p99: float
    usage: Usage


@dataclass
class Trial:
    """What an attack came to; `broken` has a sentence for each promise that broke, `slow` for the times."""

    name: str
    before: Phase
    during: Phase
    after: Phase
    answers: dict[str, int]
    accepted: int = 0
    lost: int = 0
    log_bytes: float = 0.0
    broken: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)


def run_trial(city: City, name: str, *, seconds: float, share: float = 1.0) -> Trial:
    """Attack a new sale for so many seconds, with that share of the attack's full numbers."""
    [sale] = city.create_sales(1, STOCK)
    people = [Person(*each) for each in zip(city.buyers, city.tokens, strict=True)]
    buyers = Buyers(city.site.base_url, sale, people, Random(name))
    paths = ["/", f"/vouchers/{sale}/", f"/shops/{city.shops[0]}/", f"/notes/{city.notes[0]}/"]
    others = Bystanders(buyers, paths)
    with others.present():
        # The first requests fill what was empty.
        time.sleep(min(seconds, 3))
        before, usage_before = _pass(seconds), resources.read_usage(city.site)
        with _attackers(city, name, sale, seconds, share) as end:
            during, most, answers, broken = _watch(city, seconds, end)
        log_bytes = (resources.read_usage(city.site).log_bytes - usage_before.log_bytes) / seconds
        _wait_until_settled(city, usage_before)
        after, usage_after = _pass(seconds), resources.read_usage(city.site)
    verdict = rounds.settle(city, sale, buyers)
    trial = Trial(
        name,
        Phase(others.p99(*before), usage_before),
        Phase(others.p99(*during), most),
        Phase(others.p99(*after), usage_after),
        answers,
        buyers.ledger.accepted,
        verdict.counts["lost"] + verdict.counts["silent"],
        log_bytes,
    )
    trial.broken += [*broken, *verdict.broken, *others.errors[:5], *find_leftovers(usage_before, usage_after)]
    if log_bytes > MOST_LOG_BYTES:
        trial.broken.append(f"{log_bytes:,.0f} bytes of log a second")
    most_p99 = max(ATTACKS[name].most_p99, MOST_TIMES * trial.before.p99)
    if trial.during.p99 > most_p99:
        trial.slow.append(f"p99 of others is {trial.during.p99:.2f} s, more than {most_p99:.2f} s")
    return trial


def _pass(seconds: float) -> tuple[float, float]:
    """The begin and the end of so many seconds."""
    began = time.monotonic()
    time.sleep(seconds)
    return began, time.monotonic()


def _wait_until_settled(city: City, before: Usage) -> None:
    ends = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < ends and list(find_leftovers(before, resources.read_usage(city.site))):
        time.sleep(1)


def find_leftovers(before: Usage, after: Usage) -> Iterator[str]:
    """A sentence for each thing of which the site holds more than others' traffic leaves."""
    for name, held in before.memory.items():
        grown = after.memory.get(name, 0) - held
        if grown > held * MOST_MEMORY_SHARE + MOST_MEMORY_BYTES:
            yield f"{name} keeps {grown / 1e6:.1f} MB"
    if after.redis_bytes > before.redis_bytes + MOST_REDIS_BYTES:
        yield f"Redis keeps {(after.redis_bytes - before.redis_bytes) / 1e6:.1f} MB"
    for name, number in before.open_files.items():
        if after.open_files.get(name, 0) > number + MOST_OPEN_FILES:
            yield f"{name} keeps {after.open_files[name] - number} files open"


def _watch(
    city: City, seconds: float, end: "Connection"
) -> tuple[tuple[float, float], Usage, dict[str, int], list[str]]:
    """The time of the attack, the most that was held meanwhile, its answers, and what it got."""
    began, found = time.monotonic(), []
    while not end.poll(0.5):
        found.append(resources.read_usage(city.site))
        assert time.monotonic() < began + seconds + 120, "the attack does not end"
    ended = time.monotonic()
    answers, broken = end.recv()
    return (began, ended), _most([*found, resources.read_usage(city.site)]), answers, broken


def _most(found: list[Usage]) -> Usage:
    names = found[-1].memory
    return Usage(
        {name: max(one.memory.get(name, 0) for one in found) for name in names},
        {name: max(one.open_files.get(name, 0) for one in found) for name in names},
        max(one.redis_bytes for one in found),
        max(one.redis_keys for one in found),
        found[-1].log_bytes,
    )


@contextmanager
def _attackers(city: City, name: str, sale: int, seconds: float, share: float) -> Iterator["Connection"]:
    """The attack in a process of its own; the connection yields its answers at its end."""
    context = get_context("spawn")
    here, there = context.Pipe()
    site = city.site
    target = partial(
        Target,
        site.port,
        sale,
        city.shops,
        city.notes,
        city.tokens,
        site.redis_url,
        site.redis.pid,
        seconds,
        share,
    )
    process = context.Process(target=_attack, args=[name, target, there])
    process.start()
    try:
        assert here.poll(60)
        assert here.recv() == "ready"
        yield here
    finally:
        process.join(30)
        process.kill()


def _attack(name: str, make_target: Callable[[], Target], end: "Connection") -> None:
    end.send("ready")
    # Its time begins now.
    target = make_target()
    asyncio.run(ATTACKS[name].run(target))
    end.send((dict(target.answers.most_common()), sorted(set(target.broken))))
