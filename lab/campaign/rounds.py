"""Runs rounds of a schedule on one site: a sale, its people, the faults, and the verdict."""

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from lab.campaign import injectors, oracle
from lab.campaign.buyers import PERSISTENCE, Buyers
from lab.campaign.campaign_site import CampaignSite, run_site
from lab.campaign.oracle import Verdict
from lab.campaign.schedule import Round
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite
from tests.sites import ROOT, wait_until

#: Where schedules that broke a promise are kept, with the site's logs.
SAVED = ROOT / "var" / "campaign"
#: Without a burst; each round takes others of them.
PEOPLE = 4_000
CONNECTIONS = 64
#: How long a round waits for the next accepted claim before its next fault, in seconds.
RECOVERY_SECONDS = 20.0
#: A round's last orders, payments and returned units are settled within this. A unit whose return was refused
#: by Redis goes on sale again with the next reconcile of sales, at most five minutes later.
SETTLED_SECONDS = 330.0


@dataclass
class Injected:
    """A fault that happened; `recovered`: seconds from its end to the next accepted claim, if seen."""

    kind: str
    began: float
    ended: float
    recovered: float | None = None


@dataclass
class RoundResult:
    """What a round came to; `broken` has a sentence for each promise that broke."""

    faults: list[Injected]
    counts: Counter[str]
    answers: Counter[str]
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run_rounds(rounds: Sequence[Round], seed: int, *, until: float = float("inf")) -> Iterator[RoundResult]:
    """Run the rounds in turn on a new site, until one breaks a promise or the time (monotonic) is over."""
    with run_site(max([PEOPLE, *(each.burst + 2_000 for each in rounds if each.burst)])) as ground:
        for number, each in enumerate(rounds):
            if time.monotonic() > until:
                break
            result = run_round(ground, each, Random(f"{seed}-{number}"))
            yield result
            if result.broken:
                _keep_logs(ground, seed)
                break


def _keep_logs(ground: CampaignSite, seed: int) -> None:
    """Copy what the site's processes have printed: the site goes."""
    SAVED.mkdir(parents=True, exist_ok=True)
    for log in ground.site.directory.glob("*.log"):
        shutil.copy(log, SAVED / f"{seed}-{ground.site.port}-{log.name}")


def run_round(ground: CampaignSite, each: Round, chance: Random) -> RoundResult:
    """One sale with its faults, and the verdict once everything is settled."""
    began = time.monotonic()
    made = site_setup.create_sales(
        ground.clerk, 1, stock=each.stock, begins_in=each.begins_in, lasts=each.lasts
    )
    voucher_id = made.voucher_ids[0]
    people = ground.people
    chance.shuffle(people)
    buyers = Buyers(ground.site.base_url, voucher_id, people, chance)
    with _crowd(buyers, each) as crowd:
        faults = _inject_all(ground, buyers, each)
        injectors.calm(ground)
        buyers.closing = time.monotonic()
        crowd.result(PERSISTENCE + 90)
    verdict = settle(ground, voucher_id, buyers)
    found = {"accepted": buyers.ledger.accepted, "handed in": buyers.ledger.handed_in}
    found |= {"paid": sum(one.paid for one in buyers.ledger.promises.values())}
    found |= {"callbacks": buyers.ledger.callbacks, "requests": buyers.ledger.answers.total()}
    found |= {"bursts": int(each.burst > 0)}
    answers = buyers.ledger.answers
    seconds = time.monotonic() - began
    return RoundResult(faults, verdict.counts + Counter(found), answers, verdict.broken, seconds)


@contextmanager
def _crowd(buyers: Buyers, each: Round) -> Iterator["Future[None]"]:
    """The people come in a thread of their own, until the block ends."""
    connections = max(CONNECTIONS, min(each.burst, 18_000))
    with ThreadPoolExecutor(1) as pool:
        crowd = pool.submit(lambda: asyncio.run(buyers.come(each.rate, each.burst, connections=connections)))
        wait_until(lambda: buyers.sold or buyers.sold_out or crowd.done(), seconds=60)
        try:
            yield crowd
        finally:
            buyers.closing = min(buyers.closing, time.monotonic())


def _inject_all(ground: CampaignSite, buyers: Buyers, each: Round) -> list[Injected]:
    done: list[Injected] = []
    for number, fault in enumerate(each.faults):
        time.sleep(fault.pause)
        began = time.monotonic()
        done.append(Injected(fault.kind, began, injectors.inject(ground, buyers, fault)))
        following = each.faults[number + 1].pause if number + 1 < len(each.faults) else 9
        # The half of them with a short pause meet a site that still recovers.
        if following > 0.3:
            _wait_for_sale(buyers, since=done[-1].ended)
    for number, one in enumerate(done):
        next_began = done[number + 1].began if number + 1 < len(done) else float("inf")
        sold = next((at for at in buyers.sold if at > one.ended), None)
        one.recovered = sold - one.ended if sold is not None and sold < next_began else None
    return done


def _wait_for_sale(buyers: Buyers, *, since: float) -> None:
    ends = time.monotonic() + RECOVERY_SECONDS
    while not buyers.sold_out and time.monotonic() < ends and not (buyers.sold and buyers.sold[-1] > since):
        time.sleep(0.02)


def settle(ground: FaultSite, voucher_id: int, buyers: Buyers) -> Verdict:
    """The verdict once it holds, or after SETTLED_SECONDS; reconcile's own opinion comes on top."""
    ends = time.monotonic() + SETTLED_SECONDS
    while True:
        waiting = ground.books.waiting(voucher_id)
        verdict = oracle.judge(buyers.ledger, oracle.read_accounts(ground.books, voucher_id))
        if (not verdict.broken and not waiting) or time.monotonic() > ends:
            break
        time.sleep(0.5)
    if waiting:
        verdict.note("stuck", [f"{waiting} entries wait in the stream"])
    ground.clerk.manage("rebuild_redis", "coupons")
    report = site_setup.reconcile(ground.clerk)
    if not report["clean"]:
        verdict.note("reconcile", [str(one) for one in report["left"][:5]])
    return verdict
