"""Runs `prepare_demo` in a child process, so that the supervisor never loads Django (100 MB)."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from apps.demo.launcher.options import ROOT, Options


class PreparationFailed(Exception):
    """The child process could not prepare the data, and has printed why."""


@contextmanager
def start_preparation(options: Options) -> Iterator["subprocess.Popen[bytes]"]:
    """Start the child process, which loads the site and then waits for finish_preparation().

    Leaving the block early, with Ctrl-C for example, ends the child.
    """
    module = ["-m", "apps.demo.launcher.prepare_process", str(options.shops)]
    child = subprocess.Popen(
        [sys.executable, "-m", "apps.web.child_process", sys.executable, *module],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        # In a session of its own, the child gets no Ctrl-C, only the SIGTERM below.
        start_new_session=True,
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)
        child.communicate()


def finish_preparation(child: "subprocess.Popen[bytes]") -> None:
    """Let the child prepare the data and wait for its end; call this when Redis accepts commands.

    Raises PreparationFailed when the child ends with an error.
    """
    child.communicate(b"begin\n")
    if child.returncode:
        raise PreparationFailed(child.returncode)
