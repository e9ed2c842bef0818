"""Runs lines of the Procfile as forks of one process: the demo's consumer, mover and worker.

`python -m apps.demo.launcher.forked_workers LINE…`. The site is loaded once, and its memory is shared: each
fork has 20 to 40 MB of its own instead of 100 to 160. When one of them ends, all end, and the launcher starts
them again.
"""

import contextlib
import gc
import io
import os
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence

import django
from django.core.management import call_command
from django.db import connections

from apps.redis_kit import client
from apps.web import child_process


def main(lines: Sequence[str]) -> int:
    """Run each line in a fork until SIGTERM; return 0 when it came, 1 when one ended by itself."""
    commands = [read_command(line) for line in lines]
    django.setup()
    # Here, where what they load is loaded for all, and what they write to is shared.
    call_command("check", stdout=io.StringIO())
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    # A connection that two processes share answers the one what the other asked.
    connections.close_all()
    client.close_all()
    # A collection writes to every object that it looks at, and what is written to is no longer shared.
    gc.freeze()
    children: dict[int, str] = {}
    for command in commands:
        child = os.fork()
        if not child:
            return run_command(command)
        children[child] = " ".join(command[:3])
    return _wait_for_all(children)


def read_command(line: str) -> list[str]:
    """The script that a line of the Procfile ends with and its arguments; without checks and preflight."""
    command = line.rpartition("&& exec ")[2].removeprefix("python ")
    if command.startswith("manage.py "):
        command += " --skip-checks"
    words = subprocess.run(["sh", "-c", f"printf '%s\\0' {command}"], stdout=subprocess.PIPE, check=True)
    return words.stdout.decode().split("\0")[:-1]


def run_command(command: Sequence[str]) -> int:
    """Run a Python script, manage.py or `celery`, in this process; return 0, or raise its SystemExit."""
    child_process.die_with_parent()
    sys.argv = list(command)
    runpy.run_path(shutil.which(command[0]) or command[0], run_name="__main__")
    return 0


def _wait_for_all(children: dict[int, str]) -> int:
    """Wait until all children have ended: at SIGTERM to this process, or because one of them ended."""
    is_stopping, exit_code = False, 0

    def stop(*_: object) -> None:
        nonlocal is_stopping
        is_stopping = True
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    while children:
        child, status = os.wait()
        command = children.pop(child)
        if not is_stopping:
            exit_code = 1
            print(f"{command} ended ({os.waitstatus_to_exitcode(status)})", file=sys.stderr)
            stop()
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
