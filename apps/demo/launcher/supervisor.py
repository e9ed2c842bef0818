"""Runs the demo's processes: prints one prefixed log, restarts ended processes, and ends all together.

Each process leads a session of its own, so its process group is exactly the process and its children.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, TextIO, cast

from honcho.colour import get_colours
from honcho.printer import Message, Printer

#: First and longest pause before a restart: it doubles while the process ends within STEADY_SECONDS.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, MAX_DOUBLINGS = 0.2, 30.0, 10
STEADY_SECONDS = 60.0
MAX_LAST_LINES = 12
TERM_SECONDS = 10.0


@dataclass
class ChildProcess:
    """A supervised process: its command, its last printed lines, and its exits since it last ran steadily."""

    name: str
    command: list[str]
    colour: str
    process: subprocess.Popen[bytes]
    reader: threading.Thread | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_LAST_LINES))
    files: tuple[int, ...] = ()
    left_out: re.Pattern[str] | None = None
    exits: int = 0
    last_exit: str = ""
    started_at: float = field(default_factory=time.monotonic)
    restart_at: float | None = None


class Supervisor:
    """Starts processes, restarts them in watch(), and ends them with their children in end().

    `record_exits` gets the exits of the processes that ended of late, by name, at each change.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        output: TextIO = sys.stdout,
        record_exits: Callable[[Mapping[str, str]], object] = lambda exits: None,
    ) -> None:
        self._environment, self._record_exits = environment, record_exits
        self._children: dict[str, ChildProcess] = {}
        self._colours = get_colours()
        self._printer = Printer(output, width=len("consumer"))
        self._printing = threading.Lock()

    def start(
        self,
        name: str,
        command: list[str],
        *,
        files: tuple[int, ...] = (),
        left_out: re.Pattern[str] | None = None,
    ) -> None:
        """Start a named process; only from the main thread, as it ends with the thread that started it.

        Each run of it inherits the open `files`, by their numbers. Lines with the pattern `left_out` are not
        printed, unless they are the last ones of a process that ended.
        """
        process = self._spawn(command, files)
        child = ChildProcess(name, command, next(self._colours), process, files=files, left_out=left_out)
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

    def exit_code(self, name: str) -> int | None:
        """The exit code of an ended process, negative for a signal; None when it runs or never did."""
        child = self._children.get(name)
        return child.process.poll() if child else None

    def watch(self) -> None:
        """Restart processes that end, with growing pauses, until interrupted; one never ends the others."""
        while True:
            self.check()
            time.sleep(0.1)

    def check(self) -> None:
        """Notice each process that has ended, and restart those whose pause is over."""
        for child in self._children.values():
            self._check_child(child)

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
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at:
                self._restart(child)
        elif child.process.poll() is not None:
            _signal(child.process.pid, signal.SIGKILL, group=True)
            self._handle_exit(child, _exit_reason(child.process.returncode))
        elif child.exits and now - child.started_at >= STEADY_SECONDS:
            child.exits = 0
            self._tell_exits()

    def _restart(self, child: ChildProcess) -> None:
        child.started_at, child.restart_at = time.monotonic(), None
        try:
            child.process = self._spawn(child.command, child.files)
        except OSError as error:
            # No memory or no process left: others may end, and this one is tried again.
            self._handle_exit(child, str(error))
            return
        self._start_reader(child)

    def _handle_exit(self, child: ChildProcess, reason: str) -> None:
        now = time.monotonic()
        child.exits = 1 if now - child.started_at >= STEADY_SECONDS else child.exits + 1
        child.last_exit = reason
        pause = pause_after(child.exits)
        child.restart_at = now + pause
        self.print_line(f"{self._exit_report(child)}\nRestarting {child.name} in {pause:.1f} s.")
        self._tell_exits()

    def _tell_exits(self) -> None:
        self._record_exits(
            {
                child.name: f"{child.last_exit}, {child.exits} in a row"
                for child in self._children.values()
                if child.exits
            }
        )

    def _exit_report(self, child: ChildProcess) -> str:
        _drain_output(child)
        last = "\n".join(f"    {line}" for line in child.lines) or "    (it printed nothing)"
        reason = child.last_exit or _exit_reason(child.process.returncode)
        return f"{child.name} ended ({reason}). Its last lines:\n{last}"

    def _spawn(self, command: list[str], files: tuple[int, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "apps.web.child_process", *command],
            env=dict(self._environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=files,
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
                if not (child.left_out and child.left_out.search(line)):
                    self._print(line, name=child.name, colour=child.colour)

    def _print(self, text: str, *, name: str, colour: str) -> None:
        with self._printing:
            self._printer.write(Message("line", text, datetime.now(), name, colour))


def pause_after(exits: int) -> float:
    """The seconds to wait before a restart after so many exits in a row."""
    doublings = min(exits - 1, MAX_DOUBLINGS)
    return min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * (1 << doublings))


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
