"""Keeps one process with Django loaded per site, since starting manage.py takes longer than its work here."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Self

import django
from django.core.management import CommandError, call_command
from django.db import connections

from apps.redis_kit import client, fault_injection
from tests.sites import ROOT


class ManagementProcess:
    """Runs management commands in a process of the site's environment; a site_setup.RunsManagement."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._process.communicate(timeout=60)

    def manage(self, *words: str) -> str:
        """Return what `manage.py <words>` prints; AssertionError with its output when it fails."""
        done = self.run(*words)
        assert done.returncode == 0, f"manage.py {' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def run_code(self, code: str) -> str:
        """Return what Python code prints there, with the site's models at hand."""
        return self.manage(*_words_of(code))

    def run_code_until_killed(self, code: str, *, crash_at: str) -> int:
        """Run code as `run(..., crash_at=...)` does; return the exit code."""
        return self.run(*_words_of(code), crash_at=crash_at).returncode

    def run(self, *words: str, crash_at: str = "") -> subprocess.CompletedProcess[str]:
        """Run `manage.py <words>` and return the finished process, whatever its exit code.

        With `crash_at`, a place of fault_injection, a child runs it, which dies there: its code is -9 then.
        """
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps([words, crash_at]), file=self._process.stdin, flush=True)
        code, out, err = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(words, code, out, err)


def _words_of(code: str) -> list[str]:
    return ["shell", "-v", "0", "-c", code]


def _run_command(words: list[str]) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    try:
        # `shell -c` prints where Python prints.
        with redirect_stdout(out):
            call_command(*words, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    except Exception as error:
        return 1, out.getvalue(), f"{type(error).__name__}: {error}"
    finally:
        connections.close_all()
        # A process of its own would look anew for the servers too.
        client.close_all()
    return 0, out.getvalue(), err.getvalue()


def _run_in_child(words: list[str], crash_at: str) -> tuple[int, str, str]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        fault_injection.arm(crash_at)
        os.write(writing, json.dumps(_run_command(words)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if not answer:
        return os.waitstatus_to_exitcode(status), "", ""
    code, out, err = json.loads(answer)
    return code, out, err


def _serve() -> None:
    django.setup()
    for line in sys.stdin:
        words, crash_at = json.loads(line)
        answer = _run_in_child(words, crash_at) if crash_at else _run_command(words)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve()
