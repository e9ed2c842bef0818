"""What loggers write to standard error: warnings of every mode, without secrets, as text or JSON."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.core.exceptions import DisallowedHost, PermissionDenied

from apps.metrics.stderr_lines import (
    ForeseenLinesFilter,
    JsonFormatter,
    TextFormatter,
    UnforeseenFilter,
    UsualAnswersFilter,
)
from tests.checks.sources import ROOT

SECRET, KEY = "hunter2hunter", "tests-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"
CODE = """
import logging, django
django.setup()
for name in "django.request django.security.DisallowedHost apps.accounts.staff.audit uvicorn.error".split():
    logging.getLogger(name).warning("line of %s, password=hunter2hunter", name)
logging.getLogger("apps.shops").info("nobody needs this")
logging.getLogger("django.request").warning("Not Found: /x", extra={"status_code": 404})
"""
LOGGERS = ["django.request", "django.security.DisallowedHost", "apps.accounts.staff.audit", "uvicorn.error"]


def written(**environment: str) -> list[str]:
    """What a process with these settings writes to standard error for CODE."""
    clean = {"PATH": os.environ["PATH"], "VAR_DIR": os.environ["VAR_DIR"]} | environment
    clean["DJANGO_SETTINGS_MODULE"] = "config.settings"
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


@pytest.mark.parametrize(
    "mode",
    [
        {"DEMO": "1"},
        pytest.param({"DEBUG": "1"}, marks=pytest.mark.wide),
        pytest.param({"SECRET_KEY": KEY}, marks=pytest.mark.wide),
    ],
)
def test_warnings_reach_standard_error_once_in_every_mode(mode: dict[str, str]) -> None:
    lines = written(**mode)
    assert [line.split(" WARNING ")[1].split(":")[0] for line in lines] == LOGGERS
    assert SECRET not in "".join(lines)


@pytest.mark.wide
def test_lines_may_be_json() -> None:
    lines = [json.loads(line) for line in written(DEMO="1", LOG_FORMAT="json")]
    assert [line["logger"] for line in lines] == LOGGERS
    assert set(lines[0]) == {"at", "level", "logger", "message"}
    assert SECRET not in str(lines)


def record(status: int = 0, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    made = logging.LogRecord("django.request", logging.ERROR, "", 1, "%s failed", ("/pay",), info)
    if status:
        made.status_code = status
    return made


def test_a_trace_has_no_secret_either() -> None:
    failed = record(500, ValueError(f"token={SECRET}"))
    assert SECRET not in TextFormatter().format(failed)
    line = json.loads(JsonFormatter().format(failed))
    assert (line["status"], line["message"]) == (500, "/pay failed")
    assert "ValueError" in line["trace"]
    assert SECRET not in line["trace"]


@pytest.mark.parametrize(
    ("status", "is_written"), [(404, False), (429, False), (403, True), (400, True), (500, True)]
)
def test_usual_refusals_are_left_out(status: int, is_written: bool) -> None:
    assert UsualAnswersFilter().filter(record(status)) is is_written


@pytest.mark.parametrize("error", [DisallowedHost("evil.example"), PermissionDenied()])
def test_what_strangers_cause_is_a_line_a_second(error: Exception) -> None:
    now = [100.0]
    foreseen = ForeseenLinesFilter(lambda: now[0])
    first, second, third = record(400, error), record(400, error), record(400, error)
    assert (foreseen.filter(first), foreseen.filter(second)) == (True, False)
    assert foreseen.filter(record(500, ValueError())), "a failure is always written"
    now[0] += 1
    assert foreseen.filter(third)
    assert TextFormatter().format(first).endswith("/pay failed")
    assert TextFormatter().format(third).endswith("/pay failed (1 more were left out)")


def test_admins_get_no_mail_for_what_strangers_cause() -> None:
    mails = UnforeseenFilter()
    assert not mails.filter(record(400, DisallowedHost("evil.example")))
    assert mails.filter(record(500, ValueError()))
