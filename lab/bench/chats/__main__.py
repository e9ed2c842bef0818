"""Measures chats and live streams: `make bench-messages`; FAST=1 is smaller.

A web process with one event loop serves the streams; messages are sent by the site's own verbs from a second
process, which also holds the clients' ends. Nothing is faked, and the figures share the machine's cores.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench import reports
from tests.sites import ROOT, Site

#: One process that serves every stream, all from one address.
ENVIRONMENT = {"STREAMS_PER_PROCESS": "20000", "STREAMS_PER_ADDRESS": "20000"}


def main() -> None:
    """Start a site and measure it; a FAST run is printed only."""
    with (
        tempfile.TemporaryDirectory(prefix="savor-bench-") as directory,
        Site(Path(directory)) as site,
    ):
        site.environment |= ENVIRONMENT
        site.start("web")
        command = [sys.executable, "-m", "lab.bench.chats.measurements", site.base_url]
        command.append(str(site.processes["web"].pid))
        done = subprocess.run(
            command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True
        )
    print(done.stdout)
    if not os.environ.get("FAST"):
        reports.save_report("chats", done.stdout)


if __name__ == "__main__":
    main()
