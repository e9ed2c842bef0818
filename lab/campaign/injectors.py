"""Injects one fault of a schedule into a running site; each returns when the fault ended (monotonic seconds).

What is killed is started again at once, as the supervisor does: the start is a part of the recovery.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

import redis

from lab.campaign.buyers import Buyers
from lab.campaign.campaign_site import PROCESSES, CampaignSite
from lab.campaign.schedule import KINDS, Fault
from lab.campaign.step_clock import StepClock
from tests.faults import server_weather
from tests.faults.aof import Tail
from tests.faults.server_weather import Weather
from tests.faults.wire.faulty_proxy import Fault as Hurt

#: A clock steps by at most so many seconds, ahead or back; a file loses at most so many bytes.
MAX_STEP, MAX_CUT = 60, 20_000
#: How often the bank tells the shop while it repeats itself.
REPEATS = 3
Injector = Callable[[CampaignSite, Buyers, Fault], float]


def inject(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
    """Let the fault happen and end; returns when it ended."""
    return INJECTORS[fault.kind](ground, buyers, fault)


def _kill(*names: str) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        for name in names:
            if name != "redis":
                ground.site.kill(name)
        if "redis" in names:
            ground.site.redis.kill()
        ended = time.monotonic()
        if "redis" in names:
            ground.start_redis()
        ground.heal()
        return ended

    return act


def _freeze(name: str) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        pid = ground.site.redis.pid if name == "redis" else ground.site.processes[name].pid
        os.killpg(pid, signal.SIGSTOP)
        time.sleep(fault.lasts)
        os.killpg(pid, signal.SIGCONT)
        return time.monotonic()

    return act


def _empty(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
    with ground.books.redis() as connected:
        connected.flushall()
    return time.monotonic()


def _cut_file(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
    ground.site.redis.kill()
    ended, growing = time.monotonic(), Tail(ground.site.directory / "redis").growing
    with growing.open("r+b") as file:
        file.truncate(max(0, growing.stat().st_size - 1 - int(fault.amount * MAX_CUT)))
    ground.start_redis()
    return ended


def _put_back(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
    files = ground.site.directory / "redis" / "appendonlydir"
    copy = ground.site.directory / "copy"
    shutil.copytree(files, copy)
    time.sleep(fault.lasts)
    ground.site.redis.kill()
    ended = time.monotonic()
    shutil.rmtree(files)
    copy.rename(files)
    ground.start_redis()
    return ended


def _hurt(how: Hurt) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        assert ground.wire
        ground.wire.suffer(how, every=1 + int(fault.amount * 9))
        time.sleep(fault.lasts)
        ground.wire.suffer(Hurt.PASS, every=1)
        return time.monotonic()

    return act


def _cut_connections(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
    ends = time.monotonic() + fault.lasts
    with ground.books.redis() as connected:
        while time.monotonic() < ends:
            connected.client_kill_filter(_type="normal", skipme=True)
            time.sleep(0.02 + fault.amount / 5)
    return time.monotonic()


def _forget_scripts(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
    with ground.books.redis() as connected:
        connected.script_flush()
    return time.monotonic()


def _weather(weather: Weather) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        with ground.books.redis() as connected, weather(connected):
            time.sleep(fault.lasts)
        return time.monotonic()

    return act


def _during(block: Callable[[CampaignSite], AbstractContextManager[None]]) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        with block(ground):
            time.sleep(fault.lasts)
        return time.monotonic()

    return act


def _full_disk_of_sql(ground: CampaignSite) -> AbstractContextManager[None]:
    return server_weather.full_disk_of(ground.site.processes["consumer"].pid)


@contextmanager
def _locked_sql(ground: CampaignSite) -> Iterator[None]:
    with ground.books.sql() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        yield
        cursor.execute("COMMIT")


def _step(clock_of: Callable[[CampaignSite], StepClock | None]) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        clock = clock_of(ground)
        if clock is None or clock.library is None:
            return time.monotonic()
        clock.set((2 * fault.amount - 1) * MAX_STEP)
        time.sleep(fault.lasts)
        clock.set(0)
        return time.monotonic()

    return act


def _bank(**manner: int) -> Injector:
    def act(ground: CampaignSite, buyers: Buyers, fault: Fault) -> float:
        bank = buyers.bank
        bank.times, bank.delay = manner.get("times", 1), fault.lasts * manner.get("late", 0)
        time.sleep(fault.lasts)
        bank.times, bank.delay = 1, 0.0
        return time.monotonic()

    return act


INJECTORS: dict[str, Injector] = {
    **{f"kill {name}": _kill(name) for name in (*PROCESSES, "redis")},
    "kill everything": _kill(*PROCESSES, "redis"),
    **{f"freeze {name}": _freeze(name) for name in ("web", "consumer", "worker", "redis")},
    "empty redis": _empty,
    "cut the append-only file": _cut_file,
    "put an older copy back": _put_back,
    "slow redis": _hurt(Hurt.SLOW),
    "drop redis's answers": _hurt(Hurt.DROP),
    "halve redis's answers": _hurt(Hurt.HALF),
    "cut redis's connections": _cut_connections,
    "forget scripts": _forget_scripts,
    "fill redis's disk": _weather(server_weather.full_disk),
    "fill redis's memory": _weather(server_weather.full_memory),
    "make redis read-only": _weather(server_weather.read_only),
    "fill SQL's disk": _during(_full_disk_of_sql),
    "lock SQL": _during(_locked_sql),
    "step redis's clock": _step(lambda ground: ground.redis_clock),
    "step the processes' clock": _step(lambda ground: ground.clock),
    "repeat the bank's callbacks": _bank(times=REPEATS),
    "hold the bank's callbacks back": _bank(late=2),
}
assert set(INJECTORS) == set(KINDS)


def calm(ground: CampaignSite) -> None:
    """End whatever a fault that broke off has left behind."""
    for clock in (ground.redis_clock, ground.clock):
        if clock:
            clock.set(0)
    if ground.wire:
        ground.wire.suffer(Hurt.PASS, every=1)
    with suppress(redis.RedisError), ground.books.redis() as connected:
        connected.replicaof("NO", "ONE")
        connected.config_set("maxmemory", 0)
    ground.heal()
