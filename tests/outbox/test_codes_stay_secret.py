"""A code that is sent, whatever it is for, reaches no line of a log, no e-mail and no report of an error."""

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.utils import translation
from pytest_django.fixtures import Settings

from apps.accounts import codes
from apps.error_reports import scrubbing
from apps.metrics import log_lines
from apps.metrics.stderr_lines import JsonFormatter, TextFormatter
from apps.outbox.failures import NotSent, PermanentlyRefused

pytestmark = pytest.mark.django_db
PHONE = "+8613800000001"
log = logging.getLogger("provider.sdk")


class UnluckySender:
    """A sender of somebody else's, which logs what it sends, and fails as `fail` says."""

    sent: ClassVar[list[str]] = []
    fail: ClassVar[Callable[[str], Exception] | None] = None

    def send(self, phone: str, text: str) -> None:
        self.sent.append(text)
        log.error("POST https://sms.example/send?to=%s&text=%s", phone, text)
        log.warning({"Body": text, "To": phone})
        if fail := type(self).fail:
            try:
                raise ValueError(f"answer 500 to {text!r}")
            except ValueError as error:
                raise fail(text) from error


class CodeSender(UnluckySender):
    """One that has a template of its own at the provider."""

    def send_code(self, phone: str, text: str, code: str) -> None:
        self.send(phone, f"{text}|template=7&param={code}")


@pytest.fixture
def read_lines() -> Iterator[Callable[[], str]]:
    """A function that returns what the site's handlers have written: text, JSON, reports, and the log page's.

    Lines of the log page are made later, on another thread, when nothing knows the code any more.
    """
    written, waiting = io.StringIO(), list[log_lines.Waiting]()

    class Reports(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            waiting.append(log_lines._read(record))
            text = logging.Formatter().format(record)
            event: Any = {"message": text, "exception": {"values": [{"value": text}]}}
            written.write(json.dumps(scrubbing.scrub(event, {"log_record": record}), ensure_ascii=False))

    handlers: list[logging.Handler] = [Reports()]
    for formatter in (TextFormatter(), JsonFormatter()):
        handlers.append(logging.StreamHandler(written))
        handlers[-1].setFormatter(formatter)
    for handler in handlers:
        logging.getLogger().addHandler(handler)
    yield lambda: written.getvalue() + str(log_lines.build_call(waiting))
    for handler in handlers:
        logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize("sender", ["UnluckySender", "CodeSender"])
@pytest.mark.parametrize(
    "fail",
    [
        None,
        lambda text: NotSent(f"could not deliver {text}"),
        lambda text: PermanentlyRefused(text),
        lambda text: RuntimeError("no", {"params": [text]}),
        lambda text: UnicodeError(text),
    ],
    ids=["taken", "not sent", "refused", "broken", "unicode"],
)
def test_no_line_and_no_report_has_the_code(
    sender: str, fail: Callable[[str], Exception] | None, settings: Settings, read_lines: Callable[[], str]
) -> None:
    settings.SMS_SENDER = f"{__name__}.{sender}"
    UnluckySender.sent.clear()
    UnluckySender.fail = fail
    client = Client(raise_request_exception=False)
    answer = client.post("/api/auth/code", {"phone": PHONE}, content_type="application/json")
    assert answer.status_code == (503 if fail else 202)
    written = read_lines()
    assert "provider.sdk" in written
    assert ("could not be sent" in written) == bool(fail)
    (text,) = UnluckySender.sent
    (code,) = set(re.findall(r"(?<!\d)\d{6}(?!\d)", text))
    assert code not in written
    assert PHONE.removeprefix("+") not in written


@pytest.mark.parametrize("sender", [f"{__name__}.UnluckySender", "apps.outbox.sms.ConsoleSender"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("purpose", codes.Purpose)
def test_no_line_has_the_code_of_any_purpose(
    purpose: codes.Purpose, language: str, sender: str, settings: Settings, read_lines: Callable[[], str]
) -> None:
    """The demo's sender, too, which writes the rest of the message."""
    settings.SMS_SENDER, settings.DEMO = sender, True
    UnluckySender.fail = None
    with translation.override(language):
        code = codes.send(PHONE, ip="203.0.113.7", holder="x", purpose=purpose)
    written = read_lines()
    assert settings.SITE_NAME in written
    assert code not in written
    assert PHONE.removeprefix("+") not in written
