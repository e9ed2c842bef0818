"""Measures what measuring itself costs the site: `python -m lab.bench.metrics`.

In one process: a request with and without it, events, log records, a second's call to Redis, and how exact
and how large statistics are. Over HTTP: a scrape of /metrics from a site of one web process and of four.
"""

import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from statistics import median

from lab.bench import reports
from tests.sites import ROOT, Site, wait_until

SCRAPES, WORKERS = 60, (1, 4)
#: Pages that are requested before a scrape, so that it has something to tell.
PATHS = ("/", "/shops/", "/notes/", "/login/", "/sales/", "/api/shop-types", "/api/notes/hot", "/healthz")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        command = [sys.executable, "-m", "lab.bench.metrics.measurements"]
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
        scrapes = [measure_scrape(site, workers) for workers in WORKERS]
    table = reports.markdown_table(("web processes", "metrics", "p50 ms", "p95 ms"), scrapes)
    heading = "### A scrape of /metrics, over HTTP\n\nBesides it nobody asks the site for anything."
    report = f"{done.stdout}\n{heading}\n\n{table}"
    print(report)
    reports.save_report("metrics", report)


def measure_scrape(site: Site, workers: int) -> tuple[str, str, str, str]:
    """A row: processes, lines of the answer, and how long it took."""
    site.environment["WEB_WORKERS"] = str(workers)
    site.start("web")
    for path in PATHS * 5 * workers:
        read(f"{site.base_url}{path}")
    wait_until(
        lambda: f'savor_processes{{role="web"}} {workers}.0' in read(f"{site.base_url}/metrics"),
        seconds=60,
        otherwise="not every process reports",
    )
    times = []
    for _ in range(SCRAPES):
        began = time.perf_counter()
        text = read(f"{site.base_url}/metrics")
        times.append((time.perf_counter() - began) * 1_000)
    site.stop()
    times.sort()
    lines = sum(not line.startswith("#") for line in text.splitlines())
    return str(workers), str(lines), f"{median(times):.1f}", f"{times[len(times) * 95 // 100]:.1f}"


def read(url: str) -> str:
    """The answer's text, whatever its status."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


if __name__ == "__main__":
    main()
