"""Runs the demo's processes: prints one prefixed log, restarts ended processes, and ends all together.

Each process leads a session of its own, so its process group is exactly the process and its children.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, TextIO, cast

from honcho.colour import get_colours
from honcho.printer import Message, Printer

from apps.demo.launcher.start_checks import LaunchError

#: Restarts of one process within a minute; when it ends once more, the demo ends.
RESTARTS_PER_MINUTE = 5
#: Pause before the first restart of a process; it doubles with each restart within a minute.
FIRST_PAUSE_SECONDS = 0.2
MAX_LAST_LINES = 12
TERM_SECONDS = 10.0


@dataclass
class ChildProcess:
    """A supervised process: its command, its last printed lines, and the times of its recent exits."""

    name: str
    command: list[str]
    colour: str
    process: subprocess.Popen[bytes]
    reader: threading.Thread | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_LAST_LINES))
    exit_times: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS_PER_MINUTE + 1))
    restart_at: float | None = None


class Supervisor:
    """Starts processes, restarts them in watch(), and ends them with their children in end()."""

    def __init__(self, environment: Mapping[str, str], *, output: TextIO = sys.stdout) -> None:
        self._environment = environment
        self._children: dict[str, ChildProcess] = {}
        self._colours = get_colours()
        self._printer = Printer(output, width=len("consumer"))
        self._printing = threading.Lock()

    def start(self, name: str, command: list[str]) -> None:
        """Start a named process; only from the main thread, as it ends with the thread that started it."""
        child = ChildProcess(name, command, next(self._colours), self._spawn(command))
        self._children[name] = child
        self._start_reader(child)

    def print_line(self, text: str) -> None:
        """Print a line to the log under the supervisor's own name."""
        self._print(text, name="demo", colour="1")

    def first_exit_report(self) -> str:
        """Return the name and last lines of the first process that has ended, or "" when all run."""
        for child in self._children.values():
            if child.process.poll() is not None:
                return self._exit_report(child)
        return ""

    def watch(self) -> None:
        """Restart processes that end, until interrupted; raises LaunchError when one ends too often."""
        while True:
            for child in self._children.values():
                self._check_child(child)
            time.sleep(0.1)

    def end(self) -> None:
        """End all processes, newest first: SIGTERM, then SIGKILL after TERM_SECONDS or a second Ctrl-C."""
        children = list(reversed(self._children.values()))
        with contextlib.suppress(KeyboardInterrupt):
            for child in children:
                # Redis, started first, ends last: the others still need it to finish their work.
                if child is children[-1]:
                    _wait_for_exit(children[:-1])
                _signal(child.process.pid, signal.SIGTERM, group=False)
            _wait_for_exit(children)
        for child in children:
            _signal(child.process.pid, signal.SIGKILL, group=True)
            child.process.wait()
            _drain_output(child)

    def _check_child(self, child: ChildProcess) -> None:
        if child.restart_at is not None and time.monotonic() >= child.restart_at:
            child.restart_at = None
            child.process = self._spawn(child.command)
            self._start_reader(child)
        elif child.restart_at is None and child.process.poll() is not None:
            self._handle_exit(child)

    def _handle_exit(self, child: ChildProcess) -> None:
        _signal(child.process.pid, signal.SIGKILL, group=True)
        now = time.monotonic()
        child.exit_times.append(now)
        recent = sum(now - death < 60 for death in child.exit_times)
        if recent > RESTARTS_PER_MINUTE:
            raise LaunchError(
                f"{self._exit_report(child)}\nIt died {recent} times within a minute, so the demo stops."
            )
        pause = FIRST_PAUSE_SECONDS * 2 ** (recent - 1)
        child.restart_at = now + pause
        self.print_line(f"{self._exit_report(child)}\nRestarting {child.name} in {pause:.1f} s.")

    def _exit_report(self, child: ChildProcess) -> str:
        _drain_output(child)
        last = "\n".join(f"    {line}" for line in child.lines) or "    (it printed nothing)"
        return f"{child.name} ended ({_exit_reason(child.process.returncode)}). Its last lines:\n{last}"

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "apps.web.child_process", *command],
            env=dict(self._environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _start_reader(self, child: ChildProcess) -> None:
        reader = threading.Thread(target=self._read, args=(child, child.process.stdout), daemon=True)
        reader.start()
        # Set after start(): Ctrl-C may come in between, and joining an unstarted thread is an error.
        child.reader = reader

    def _read(self, child: ChildProcess, output: IO[bytes]) -> None:
        with output:
            for raw in output:
                line = raw.decode(errors="replace").rstrip()
                child.lines.append(line)
                self._print(line, name=child.name, colour=child.colour)

    def _print(self, text: str, *, name: str, colour: str) -> None:
        with self._printing:
            self._printer.write(Message("line", text, datetime.now(), name, colour))


def _signal(pid: int, how: signal.Signals, *, group: bool) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, how) if group else os.kill(pid, how)


def _drain_output(child: ChildProcess) -> None:
    """Wait up to a second for the last lines of an ended process; a grandchild may keep the pipe open."""
    if child.reader is not None:
        child.reader.join(1.0)


def _wait_for_exit(children: list[ChildProcess]) -> None:
    deadline = time.monotonic() + TERM_SECONDS
    while time.monotonic() < deadline and any(child.process.poll() is None for child in children):
        time.sleep(0.02)


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {cast(int, code)}"
