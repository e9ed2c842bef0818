"""Runs the measurements of tests.bench.ads; the report goes to standard output."""

import os

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below

from apps.redis_kit import client  # noqa: E402
from tests.bench import performance_page  # noqa: E402
from tests.bench.ads import choosing, exploring, paced_day, spending  # noqa: E402

#: The book's unions take longer than a page may wait.
DEADLINE_SECONDS = 60.0
FAST = os.environ.get("FAST") == "1"
MEASUREMENTS = {
    "choosing": choosing.measure,
    "spending": spending.measure,
    "paced_day": paced_day.measure,
    "exploring": exploring.measure,
}
ONLY = os.environ.get("ONLY", " ".join(MEASUREMENTS)).split()


def main() -> None:
    print(f"## Ads\n\n{performance_page.describe_machine('django', 'redis')}.\n")
    for options in settings.REDIS_CONNECTIONS.values():
        options["deadline"] = DEADLINE_SECONDS
    for name in ONLY:
        client.get().flushall()
        print(MEASUREMENTS[name](fast=FAST) + "\n", flush=True)


if __name__ == "__main__":
    main()
