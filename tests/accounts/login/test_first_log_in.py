import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.test import Client
from django.test.testcases import LiveServerThread

from apps.accounts import limits
from apps.accounts.models import AccessToken, DailyCount, User
from apps.redis_kit.limiter import Limit
from tests.accounts import sms_recorder
from tests.races import Race

PHONE = "+8613800000001"
MANY = 100
#: A crowded machine lets the last of a hundred wait for more than a minute.
ANSWER_SECONDS = 500

pytestmark = pytest.mark.django_db(transaction=True)


class Server(ThreadedWSGIServer):
    """A thread a request; a crowd may wait at the door, where Django's own takes ten."""

    request_queue_size = MANY


class Serving(LiveServerThread):
    server_class = Server


@pytest.fixture
def url(transactional_db: None) -> Iterator[str]:
    """Where a real server answers for the API's log-in."""
    serving = Serving("127.0.0.1", StaticFilesHandler)
    serving.daemon = True
    serving.start()
    assert serving.is_ready.wait(60)
    yield f"http://127.0.0.1:{serving.port}/api/auth/login"
    serving.terminate()


@pytest.fixture
def code() -> str:
    """What was sent to a phone that nobody has used yet."""
    Client().post("/api/auth/code", {"phone": PHONE}, content_type="application/json")
    return sms_recorder.last_code(PHONE)


def log_in(url: str, code: str) -> int:
    """The answer to a real request on a connection of its own."""
    body = json.dumps({"phone": PHONE, "code": code}).encode()
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


@pytest.mark.both_databases
def test_parallel_first_log_ins_make_one_person(race: Race) -> None:
    answers = race(MANY, lambda _number: User.objects.get_or_create_by_phone(PHONE))
    person = User.objects.get()
    assert {answer[0] for answer in answers if isinstance(answer, tuple)} == {person}
    assert [answer for answer in answers if isinstance(answer, Exception)] == []


@pytest.mark.both_databases
@pytest.mark.timeout(600)
def test_a_hundred_parallel_requests_with_one_code_make_one_person(
    race: Race, url: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All of them may ask for the code itself, which works once.
    anyone = Limit(name="phone", family="code_check", allowed=MANY, period=limits.TEN_MINUTES)
    monkeypatch.setattr(limits, "CHECK_WITHOUT_REQUEST", anyone)
    monkeypatch.setitem(limits.MAX_CHECKS_PER_DAY, "phone", MANY)
    answers = race(MANY, lambda _number: log_in(url, code))
    assert (answers.count(200), answers.count(400)) == (1, MANY - 1), answers
    assert User.objects.count() == AccessToken.objects.count() == 1


def test_a_hundred_parallel_requests_don_t_slip_past_the_limit_of_a_phone(
    race: Race, url: str, code: str
) -> None:
    answers = race(MANY, lambda _number: log_in(url, code))
    # Those that come after the one that used the code up guess at nothing, and count for their address alone.
    assert (answers.count(200), set(answers) <= {200, 400, 429}) == (1, True), answers
    (counted,) = DailyCount.objects.filter(what="check:phone").values_list("count", flat=True)
    assert 1 <= counted <= limits.CHECK_WITHOUT_REQUEST.allowed
    assert User.objects.count() == AccessToken.objects.count() == 1
