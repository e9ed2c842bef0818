"""`make soak MINUTES=120`: hours of mixed traffic on a site of its own, and whether its memory grows.

A tenth of what comes is bad. Each 30 seconds the memory and open files of every process, and what Redis
holds, are added to var/campaign/soak.jsonl. RATE is requests a second (8).
"""

import asyncio
import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from random import Random

from lab.campaign import report, resources
from lab.campaign.city import City, run_city
from lab.campaign.rounds import SAVED
from lab.campaign.soak import curve
from lab.campaign.soak.bad_visitors import act_badly
from lab.campaign.soak.curve import Sample
from lab.campaign.soak.people import Traffic, act_once, open_every_page
from tests.crowd import site_setup

PEOPLE, SALES, STOCK = 300, 4, 100_000
#: Shops and notes whose pages are read, so few that a process keeps all of them soon.
READ = 40
SAMPLE_SECONDS, BAD_SHARE, VISITORS = 30.0, 0.1, 40


def run(count: int, seed: int, until: float) -> int:
    """Drive a site for MINUTES and report; exit code 1 when memory grew, or a promise broke."""
    minutes = float(os.environ.get("MINUTES") or 120)
    SAVED.mkdir(parents=True, exist_ok=True)
    with run_city(PEOPLE) as city:
        traffic, samples, clean = run_soak(city, Random(seed), minutes=minutes, saved=SAVED / "soak.jsonl")
    broken = [*traffic.errors, *traffic.lost, *curve.find_growth(samples)]
    broken += [] if clean else ["reconcile has found something"]
    report.finish("soak", curve.describe(samples, traffic, broken))
    return int(bool(broken))


def run_soak(
    city: City, chance: Random, *, minutes: float, saved: Path, every: float = SAMPLE_SECONDS
) -> tuple[Traffic, list[Sample], bool]:
    """The traffic of so many minutes, the samples, and whether reconcile finds nothing at the end."""
    saved.unlink(missing_ok=True)
    rate = float(os.environ.get("RATE") or 8)
    sales = city.create_sales(SALES, STOCK)
    traffic = Traffic(city.site.port, city.tokens, city.shops[:READ], city.notes[:READ], sales, chance, rate)
    samples = asyncio.run(_drive(city, traffic, 60 * minutes, every, saved))
    return traffic, samples, bool(site_setup.reconcile(city.clerk)["clean"])


async def _drive(city: City, traffic: Traffic, seconds: float, every: float, saved: Path) -> list[Sample]:
    await open_every_page(traffic)
    samples, began = list[Sample](), time.monotonic()

    def is_over() -> bool:
        return time.monotonic() >= began + seconds

    async def visit() -> None:
        while not is_over():
            is_bad = traffic.bad < BAD_SHARE * traffic.answers.total()
            await (act_badly(traffic) if is_bad else act_once(traffic))

    async def watch() -> None:
        while not is_over():
            await asyncio.sleep(every)
            usage = await asyncio.to_thread(resources.read_usage, city.site)
            sample = Sample((time.monotonic() - began) / 60, usage, **traffic.counts())
            samples.append(sample)
            with saved.open("a") as file:
                file.write(json.dumps(asdict(sample)) + "\n")

    async with asyncio.TaskGroup() as group:
        for _ in range(VISITORS):
            group.create_task(visit())
        group.create_task(watch())
    return samples
