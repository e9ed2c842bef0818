"""What people wrote commands no terminal: in log lines, and in what commands print."""

import io
import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest
from django.test import Client
from rich.console import Console

from apps.metrics.stderr_lines import JsonFormatter, TextFormatter
from apps.web import terminal_text
from tests.sites import ROOT

CLEAR, TITLE, EIGHT_BIT = "\x1b[2J", "\x1b]0;x\x07", "\x9b2J"


@pytest.mark.parametrize("text", [CLEAR, TITLE, EIGHT_BIT, "a\rb", "\x7f", "\u202eb"])
@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()], ids=["text", "json"])
def test_a_log_line_shows_controls_as_text(formatter: logging.Formatter, text: str) -> None:
    record = logging.LogRecord("site", logging.WARNING, __file__, 1, "phone …%s, refused", (text,), None)
    line = formatter.format(record)
    message = json.loads(line)["message"] if line.startswith("{") else line
    assert terminal_text.escape(text) in message
    assert not set(message) & set("\x1b\x07\x9b\r\x7f\u202e")


def test_a_message_begins_no_line_of_its_own() -> None:
    record = logging.LogRecord(
        "site", logging.WARNING, __file__, 1, "%s", ("x\n2026-11-26 ERROR forged",), None
    )
    assert "\n    2026-11-26 ERROR forged" in TextFormatter().format(record)


def test_a_traceback_keeps_its_lines() -> None:
    try:
        raise ValueError(CLEAR)
    except ValueError:
        record = logging.LogRecord("site", logging.ERROR, __file__, 1, "failed", (), sys.exc_info())
    lines = TextFormatter().format(record).splitlines()
    assert lines[1].startswith("Traceback")
    assert lines[-1] == r"ValueError: \x1b[2J"


@pytest.mark.django_db
def test_a_name_typed_at_the_admin_s_log_in_is_shown_as_text(caplog: pytest.LogCaptureFixture) -> None:
    Client().post("/admin/login/", {"username": CLEAR, "password": "x"})
    (record,) = [each for each in caplog.records if "log-in to the admin" in each.getMessage()]
    assert CLEAR in record.getMessage()
    assert r"\x1b[2J" in TextFormatter().format(record)


def test_a_command_prints_colours_and_no_other_command() -> None:
    printed = io.StringIO()
    stream = terminal_text.EscapingStream(printed)
    stream.write(f"\x1b[32;1mgreen\x1b[0m {CLEAR}{TITLE}\n")
    assert printed.getvalue() == "\x1b[32;1mgreen\x1b[0m \\x1b[2J\\x1b]0;x\\x07\n"
    assert not stream.isatty()


def test_a_progress_bar_still_moves_the_cursor() -> None:
    printed = io.StringIO()
    stream: Any = terminal_text.EscapingStream(printed)
    Console(file=stream, force_terminal=True).show_cursor(show=False)
    assert printed.getvalue() == "\x1b[?25l"


def test_manage_py_guards_what_it_prints() -> None:
    code = "print(chr(27) + '[2J')"
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"DEMO": "1"}, capture_output=True, text=True)
    assert done.stdout.strip().endswith(r"\x1b[2J"), done
