"""Runs one measurement of lab.bench.ads, named on the command line; the report goes to standard output."""

import os
import sys
from collections.abc import Callable
from typing import NamedTuple

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below

from apps.redis_kit import client  # noqa: E402
from lab.bench import reports  # noqa: E402
from lab.bench.ads import choosing, exploring, paced_day, spending  # noqa: E402

#: The book's unions take longer than a page may wait.
DEADLINE_SECONDS = 60.0
FAST = os.environ.get("FAST") == "1"


class Measurement(NamedTuple):
    """A title, and what measures it."""

    title: str
    measure: Callable[..., str]


MEASUREMENTS = {
    "choosing": Measurement("Ads: choosing among 100,000", choosing.measure),
    "spending": Measurement("Ads: money", spending.measure),
    "paced_day": Measurement("Ads: a paced day", paced_day.measure),
    "exploring": Measurement("Ads: exploration", exploring.measure),
}


def main(name: str) -> None:
    machine = reports.describe_machine("django", "redis")
    server = str(client.get().info("server")["redis_version"])
    for options in settings.REDIS_CONNECTIONS.values():
        options["deadline"] = DEADLINE_SECONDS
    client.close_all()
    measured = MEASUREMENTS[name]
    print(f"## {measured.title}\n\n{machine}, server {server}.\n\n{measured.measure(fast=FAST)}")


if __name__ == "__main__":
    main(sys.argv[1])
