"""Demo cities for browsers: one process of a run seeds a city, each of its workers runs a copy."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import sites

SEED_CODE = """
from django.core.management import call_command
call_command("seed_demo", shops=60, verbosity=0)
"""
PRINTED = "printed.txt"
RUNNING_SALES, SINGLE_UNITS = 40, 4
#: They go on, and the coming one doesn't begin, for longer than any run of the tests.
SALE_SECONDS = 6 * 3_600
SALES_CODE = f"""
about = {{"shop": 1, "json": True}}
call_command("create_sale", stock=10, lasts={SALE_SECONDS}, count={RUNNING_SALES}, **about)
call_command("create_sale", stock=1, lasts={SALE_SECONDS}, count={SINGLE_UNITS}, **about)
call_command("create_sale", stock=10, begins_in={SALE_SECONDS}, **about)
"""


def seed_once(name: str, code: str, **environment: Any) -> Path:
    """Return the directory of a stopped site with a demo city, in which `code` has run after the seeding."""

    def seed(directory: Path) -> None:
        with sites.Site(directory, **environment) as site:
            printed = site.manage("shell", "--no-imports", "-c", SEED_CODE + code)
        (directory / PRINTED).write_text(printed)

    # Not kept for another run: a city is of the hour when it was seeded.
    return sites.make_once(Path(os.environ[sites.RUN_DIRECTORY]) / name, seed)


def read_printed(directory: Path) -> list[str]:
    """Return the lines that `code` printed when the city was seeded."""
    return (directory / PRINTED).read_text().splitlines()


@dataclass(frozen=True)
class Sales:
    """Paths of flash sales of which nobody has bought: next(running) has ten units, next(single) has one."""

    running: Iterator[str]
    single: Iterator[str]
    coming: str


def read_sales(directory: Path) -> Sales:
    """Return the sales that SALES_CODE has made."""
    made = [json.loads(line) for line in read_printed(directory)]
    *paths, coming = (f"/vouchers/{sale['voucher_id']}/" for sale in made)
    return Sales(iter(paths[:RUNNING_SALES]), iter(paths[RUNNING_SALES:]), coming)
