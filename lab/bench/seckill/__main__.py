"""Compares the flash sale's endpoint with simpler servers: `python -m lab.bench.seckill`.

Runs a private site by the Procfile, with FastAPI and hello worlds beside it, and wrk as the crowd. Cases
take turns; the figures are medians of several rounds. Each group keeps its report in var/bench;
a missed requirement is printed as missed. Options are make variables too:
make bench-seckill ONLY="stock sold-out" FAST=1 STRICT=1.
"""

import os
import sys

import django

# Names of keys need the settings' prefix, and spans of log-ins stand beside models.
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ["DEMO"] = "1"
django.setup()

from lab.bench.seckill import (  # noqa: E402
    cluster_group,
    cost_group,
    crowd_group,
    first_group,
    language_group,
    page_group,
    persistence_group,
    stock_group,
    variant_group,
)
from lab.bench.seckill.command import Command  # noqa: E402

COMMAND = Command(
    "seckill",
    # Reconciliation comes before other groups delete their sales' orders.
    {
        "persist": persistence_group.measure_persistence,
        "stock": stock_group.measure_in_stock,
        "first": first_group.measure_first_uses,
        "recorded": language_group.measure_recorded,
        "languages": language_group.measure_languages,
        "promises": language_group.measure_promises,
        "sold-out": stock_group.measure_refused,
        "crowds": crowd_group.measure_crowds,
        "cost": cost_group.measure_cost,
        "fsync": variant_group.measure_fsync,
        "replicas": variant_group.measure_replicas,
        "processes": variant_group.measure_processes,
        "cluster": cluster_group.measure_cluster,
        "pages": page_group.measure_pages,
    },
    str(__doc__).partition("\n")[0],
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
