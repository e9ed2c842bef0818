"""Errors of real processes arrive once at a Sentry's double, without people, and no request waits for it."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import brotli
import pytest

from tests import http_double
from tests.http_double import Answer, Double
from tests.sites import START_SECONDS, Site, wait_until

pytestmark = [pytest.mark.wide]
TOKEN = "sIV2kq0X7bWf8_secret-token-of-Alice-9fGh3kLmN"
PERSONAL = ("123456", "13800138000", "8613800138000", TOKEN, "session-of-alice", "hangzhou-position")


@dataclass
class Reporting:
    """A site that reports to a double of Sentry."""

    site: Site
    double: Double

    def reports(self) -> list[dict[str, Any]]:
        """The events that have arrived, in their order."""
        return [event for one in list(self.double.received) for event in read_envelope(one)]

    def get(self, path: str) -> int:
        """The status of a page for a reader with cookies, a token and a place in the address."""
        cookies = f"savor_token={TOKEN}; sessionid=session-of-alice"
        headers = {"Cookie": cookies, "Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "203.0.113.9"}
        request = urllib.request.Request(f"{self.site.base_url}{path}?q=hangzhou-position", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


def read_envelope(received: http_double.Received) -> Iterator[dict[str, Any]]:
    assert received.headers["content-encoding"] == "br"
    lines = brotli.decompress(received.body).splitlines()
    for head, content in zip(lines[1::2], lines[2::2], strict=False):
        if json.loads(head)["type"] == "event":
            yield json.loads(content)


@pytest.fixture(scope="module")
def reporting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reporting]:
    with http_double.serve() as double:
        dsn = double.url.replace("http://", "http://key@") + "/7"
        directory = tmp_path_factory.mktemp("site")
        settings = "tests.error_reports.failing_settings"
        with Site(directory, SENTRY_DSN=dsn, DJANGO_SETTINGS_MODULE=settings) as site:
            site.start("web")
            site.start("worker", more="--include tests.queues.misbehaving_tasks")
            yield Reporting(site, double)


@pytest.fixture(autouse=True)
def nothing_received(reporting: Reporting) -> None:
    reporting.double.received.clear()
    reporting.double.answer = lambda _: Answer()


def test_an_error_of_a_page_arrives_once_without_its_person(reporting: Reporting) -> None:
    assert reporting.get("/fails/") == 500
    wait_until(reporting.reports, seconds=START_SECONDS, otherwise="no report arrived")
    # What was made after it has arrived: there is no second one.
    assert reporting.get("/fails/") == 500
    wait_until(lambda: len(reporting.reports()) > 1, seconds=START_SECONDS)
    first, second = reporting.reports()
    for event in (first, second):
        assert [one["type"] for one in event["exception"]["values"]] == ["KeyError", "ValueError"]
        assert event["transaction"] == "/fails/"
        assert event["request"]["url"].endswith("/fails/")
        assert not [word for word in PERSONAL if word in json.dumps(event)]
        assert "203.0.113.9" not in json.dumps(event)
        assert not {"user", "breadcrumbs", "cookies", "query_string"} & (
            event.keys() | event["request"].keys()
        )
    received = reporting.double.received[0]
    assert (received.path, received.method) == ("/api/7/envelope/", "POST")


def test_an_error_of_a_task_arrives_once(reporting: Reporting, tmp_path: Path) -> None:
    diary = str(tmp_path / "diary")
    send_all(reporting.site, "test.raises", [(diary, "token=" + TOKEN), (diary, "13800138000")])
    wait_until(lambda: len(reporting.reports()) > 1, seconds=START_SECONDS, otherwise="no report arrived")
    events = reporting.reports()
    assert [event["exception"]["values"][-1]["type"] for event in events] == ["ValueError"] * 2
    assert {event["transaction"] for event in events} == {"test.raises"}
    assert not [word for word in PERSONAL if word in json.dumps(events)]


def send_all(site: Site, task: str, calls: list[tuple[str, ...]]) -> None:
    """Put a task's message with each of these arguments into the site's queue."""
    sends = [f"app.send_task({task!r}, {args!r}, queue='normal')" for args in calls]
    words = "; ".join(["from config.celery import app", *sends])
    site.manage("shell", "-v", "0", "-c", words)


def test_what_any_stranger_can_cause_is_no_report(reporting: Reporting) -> None:
    assert reporting.get("/foreseen/") == 400
    assert reporting.get("/no-such-page/") == 404
    request = urllib.request.Request(f"{reporting.site.base_url}/", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request, timeout=30)
    # Its view is broken off until its long body is read.
    request = urllib.request.Request(
        f"{reporting.site.base_url}/login/code/", data=b"phone=" + b"1" * 100_000
    )
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request, timeout=30)
    assert reporting.get("/fails/") == 500
    wait_until(reporting.reports, seconds=START_SECONDS)
    assert [event["transaction"] for event in reporting.reports()] == ["/fails/"]


def test_a_sentry_that_is_silent_delays_no_request(reporting: Reporting) -> None:
    """The client's thread hangs in its first call; more errors than its queue has places are answered."""
    reporting.double.answer = lambda _: Answer(silent=True)
    assert reporting.get("/fails/") == 500
    wait_until(lambda: reporting.double.received, seconds=START_SECONDS)
    statuses = {reporting.get("/fails/") for _ in range(120)}
    assert (statuses, reporting.get("/")) == ({500}, 200)
    assert len(reporting.double.received) == 1
