"""Runs the demo's processes: one prefixed log, dead ones named and restarted, all ended together.

Each process leads a session of its own, so that its group holds all its children and nothing else.
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

from config.demo.refusals import Refusal

#: A process that dies more often than this within a minute ends the demo.
RESTARTS_PER_MINUTE = 5
#: Doubled with each death.
FIRST_PAUSE_SECONDS = 0.2
LAST_LINES = 12
GENTLE_SECONDS = 10.0


@dataclass
class Child:
    """A supervised process: its command, the lines it printed last, and when it died lately."""

    name: str
    command: list[str]
    colour: str
    process: subprocess.Popen[bytes]
    reader: threading.Thread | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS_PER_MINUTE + 1))
    restart_at: float | None = None


class Supervisor:
    """Start processes, then watch(); end() ends every one of them and their children."""

    def __init__(self, environment: Mapping[str, str], *, output: TextIO = sys.stdout) -> None:
        self._environment = environment
        self._children: dict[str, Child] = {}
        self._colours = get_colours()
        self._printer = Printer(output, width=len("consumer"))
        self._printing = threading.Lock()

    def start(self, name: str, command: list[str]) -> None:
        """Start a named process; from the main thread, whose end it would follow."""
        child = Child(name, command, next(self._colours), self._spawn(command))
        self._children[name] = child
        self._follow(child)

    def say(self, text: str) -> None:
        """A line of the supervisor's own."""
        self._print(text, name="demo", colour="1")

    def died(self) -> str:
        """The name and last lines of the first process that is not running, or ""."""
        for child in self._children.values():
            if child.process.poll() is not None:
                return self._obituary(child)
        return ""

    def watch(self) -> None:
        """Restart what dies, until interrupted; Refusal when a process dies again and again."""
        while True:
            for child in self._children.values():
                self._look_after(child)
            time.sleep(0.1)

    def end(self) -> None:
        """End all, the newest first: SIGTERM, then SIGKILL for what is left; a second Ctrl-C hurries."""
        children = list(reversed(self._children.values()))
        with contextlib.suppress(KeyboardInterrupt):
            for child in children:
                # Redis was started first and goes last: the others still need it to finish their work.
                if child is children[-1]:
                    _wait(children[:-1])
                _signal(child.process.pid, signal.SIGTERM, group=False)
            _wait(children)
        for child in children:
            _signal(child.process.pid, signal.SIGKILL, group=True)
            child.process.wait()
            _hear_out(child)

    def _look_after(self, child: Child) -> None:
        if child.restart_at is not None and time.monotonic() >= child.restart_at:
            child.restart_at = None
            child.process = self._spawn(child.command)
            self._follow(child)
        elif child.restart_at is None and child.process.poll() is not None:
            self._mourn(child)

    def _mourn(self, child: Child) -> None:
        _signal(child.process.pid, signal.SIGKILL, group=True)
        now = time.monotonic()
        child.deaths.append(now)
        recent = sum(now - death < 60 for death in child.deaths)
        if recent > RESTARTS_PER_MINUTE:
            raise Refusal(
                f"{self._obituary(child)}\nIt died {recent} times within a minute, so the demo stops."
            )
        pause = FIRST_PAUSE_SECONDS * 2 ** (recent - 1)
        child.restart_at = now + pause
        self.say(f"{self._obituary(child)}\nRestarting {child.name} in {pause:.1f} s.")

    def _obituary(self, child: Child) -> str:
        _hear_out(child)
        last = "\n".join(f"    {line}" for line in child.lines) or "    (it printed nothing)"
        return f"{child.name} ended ({_reason(child.process.returncode)}). Its last lines:\n{last}"

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "apps.redis_kit.lifeline", *command],
            env=dict(self._environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _follow(self, child: Child) -> None:
        reader = threading.Thread(target=self._read, args=(child, child.process.stdout), daemon=True)
        reader.start()
        # Only now: Ctrl-C may come in between, and nobody can wait for a thread that has not begun.
        child.reader = reader

    def _read(self, child: Child, output: IO[bytes]) -> None:
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


def _hear_out(child: Child) -> None:
    """Until the dead process's last lines are read; a grandchild may still hold the pipe."""
    if child.reader is not None:
        child.reader.join(1.0)


def _wait(children: list[Child]) -> None:
    deadline = time.monotonic() + GENTLE_SECONDS
    while time.monotonic() < deadline and any(child.process.poll() is None for child in children):
        time.sleep(0.02)


def _reason(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {cast(int, code)}"
