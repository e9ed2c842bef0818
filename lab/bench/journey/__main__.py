"""Measures the journey of a flash sale's customers, whole and in parts: `python -m lab.bench.journey`.

The crowd is an honest one (tests.crowd). Works as lab.bench.seckill, with its options:
make bench-journey ONLY="claims pages" FAST=1 STRICT=1.
"""

import os
import sys

import django

# Names of keys need the settings' prefix, and spans of log-ins stand beside models.
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ["DEMO"] = "1"
django.setup()

from lab.bench.journey import claim_group, page_group, whole_group  # noqa: E402
from lab.bench.seckill.command import Command  # noqa: E402
from lab.bench.seckill.harness import Sizes  # noqa: E402

COMMAND = Command(
    "journey",
    {
        "claims": claim_group.measure_claims,
        "pages": page_group.measure_pages,
        "whole": whole_group.measure_journey,
    },
    str(__doc__).partition("\n")[0],
    Sizes(seconds=2, rounds=5, few_rounds=3),
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
