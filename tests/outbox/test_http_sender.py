"""HttpSender against a real server: what it sends, what it takes, and a gateway that is slow or down."""

import json
import logging
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from pytest_django.fixtures import Settings

from apps.accounts import codes
from apps.outbox import outbox, sending, sms, sms_templates
from apps.outbox.failures import NotSent, PermanentlyRefused
from apps.outbox.models import Channel, Message, State
from apps.web.problems import Problem
from tests import http_double
from tests.http_double import Answer, Double
from tests.sites import free_port
from tests.timing import best_seconds

PHONE, TEXT, CODE = "+8613800138000", 'Savor: "042137" & {code} 你好', "042137"


@pytest.fixture
def gateway(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """An SMS gateway on loopback, which the settings name."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with http_double.serve() as server:
        settings.SMS_SENDER = "apps.outbox.http_sender.HttpSender"
        settings.SMS_HTTP_URL = f"{server.url}/send?channel=7"
        yield server


def configure(settings: Settings, body: str, *, success: str = "", **more: object) -> None:
    settings.SMS_HTTP_BODY = sms_templates.parse_body(body)
    settings.SMS_HTTP_SUCCESS = sms_templates.parse_rule(success)
    for name, value in more.items():
        setattr(settings, f"SMS_HTTP_{name}", value)


def send_code() -> None:
    sms.send_code(PHONE, TEXT, CODE)


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("answer", ["taken", "refused", "echoed", "away"])
def test_no_log_line_of_a_real_sender_has_the_code(
    method: str, answer: str, gateway: Double, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """At any level, with the traceback of a failure: neither code nor number, also where both are echoed."""
    caplog.set_level(logging.DEBUG)
    configure(settings, "To={digits}&Body={text}", METHOD=method)
    echo = {"taken": 200, "refused": 400, "echoed": 500}
    gateway.answer = lambda sent: Answer(echo.get(answer, 200), f"{sent.path} {sent.body!r}".encode())
    if answer == "away":
        settings.SMS_HTTP_URL = f"http://127.0.0.1:{free_port()}/send"
    if answer == "taken":
        code = codes.send(PHONE, ip="203.0.113.7", holder="x")
        assert code in gateway.received[0].path + gateway.received[0].body.decode()
    else:
        with pytest.raises(Problem):
            codes.send(PHONE, ip="203.0.113.7", holder="x")
        assert "could not be sent" in caplog.text
    sent = "".join(f"{one.path} {one.body!r}" for one in gateway.received)
    written = "".join(logging.Formatter().format(record) for record in caplog.records)
    for secret in re.findall(r"(?<!\d)\d{6}(?!\d)", sent):
        assert secret not in written
    assert PHONE.removeprefix("+") not in written


def test_a_form_has_number_and_text_as_they_are(gateway: Double, settings: Settings) -> None:
    configure(settings, "To={phone}&From=%2B15550100&Body={text}", HEADERS={"Authorization": "Basic QTpC"})
    sms.sender().send(PHONE, TEXT)
    (sent,) = gateway.received
    assert (sent.method, sent.path) == ("POST", "/send?channel=7")
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
    assert sent.headers["authorization"] == "Basic QTpC"
    assert parse_qs(sent.body.decode()) == {"To": [PHONE], "From": ["+15550100"], "Body": [TEXT]}


def test_a_json_body_can_t_be_broken_out_of(gateway: Double, settings: Settings) -> None:
    configure(settings, '{"to": ["{national}", "{digits}"], "params": {"text": "<{text}>"}, "n": 1}')
    send_code()
    (sent,) = gateway.received
    assert sent.headers["content-type"] == "application/json"
    assert json.loads(sent.body) == {
        "to": ["13800138000", "8613800138000"],
        "params": {"text": f"<{TEXT}>"},
        "n": 1,
    }


def test_json_in_a_field_of_a_form_is_filled_as_json(gateway: Double, settings: Settings) -> None:
    configure(settings, 'PhoneNumbers={national}&TemplateParam={"code": "{code}", "text": "{text}"}')
    send_code()
    field = parse_qs(gateway.received[0].body.decode())["TemplateParam"][0]
    assert json.loads(field) == {"code": CODE, "text": TEXT}


def test_a_get_has_it_all_in_its_address(gateway: Double, settings: Settings) -> None:
    configure(settings, "to={digits}&text={text}", METHOD="GET")
    send_code()
    (sent,) = gateway.received
    query = parse_qs(urlsplit(sent.path).query)
    assert query == {"channel": ["7"], "to": ["8613800138000"], "text": [TEXT]}
    assert (sent.method, sent.body) == ("GET", b"")


def test_a_gateway_of_codes_alone_refuses_other_texts_for_good(gateway: Double, settings: Settings) -> None:
    configure(settings, "phone={phone}&code={code}")
    with pytest.raises(PermanentlyRefused, match="no {text}"):
        sms.sender().send(PHONE, TEXT)
    assert not gateway.received


@pytest.mark.parametrize(
    ("answer", "success"),
    [
        (Answer(201, b"anything"), ""),
        (Answer(200, b'{"Code": "OK"}'), "Code=OK"),
        (Answer(200, b'{"result": [{"status": 0}]}'), "result.0.status=0"),
        (Answer(200, b'{"ok": true}'), "ok=true"),
        (Answer(202, b'{"status": "queued"}'), "status=sent,queued"),
    ],
)
def test_these_answers_mean_that_it_was_taken(
    gateway: Double, settings: Settings, answer: Answer, success: str
) -> None:
    configure(settings, "to={phone}&text={text}", success=success)
    gateway.answer = lambda _request: answer
    send_code()
    assert len(gateway.received) == 1


@pytest.mark.parametrize(
    ("answer", "success"),
    [
        (Answer(500, b"oops"), ""),
        (Answer(401), ""),
        (Answer(429), ""),
        (Answer(302, headers={"Location": "http://127.0.0.1:1/"}), ""),
        (Answer(500, b'{"Code": "OK"}'), "Code=OK"),
        (Answer(200, b'{"Code": "isv.BUSINESS_LIMIT_CONTROL"}'), "Code=OK"),
        (Answer(200, b'{"Code": ["OK"]}'), "Code=OK"),
        (Answer(200, b"not JSON"), "Code=OK"),
        (Answer(200, b"[" * 60_000), "Code=OK"),
        (Answer(200, b"\xff\xfe"), "Code=OK"),
        (Answer(200, b'{"text": "' + b"x" * 100_000 + b'", "Code": "OK"}'), "Code=OK"),
    ],
)
def test_these_answers_mean_that_it_was_not(
    gateway: Double, settings: Settings, answer: Answer, success: str
) -> None:
    configure(settings, "to={phone}&text={text}", success=success)
    gateway.answer = lambda _request: answer
    with pytest.raises(NotSent) as refused:
        send_code()
    assert not isinstance(refused.value, PermanentlyRefused)
    assert len(gateway.received) == 1


def test_a_refused_message_is_not_tried_again(gateway: Double, settings: Settings) -> None:
    configure(settings, "to={phone}&text={text}")
    gateway.answer = lambda _request: Answer(400, b'{"code": 21211, "message": "not a valid number"}')
    with pytest.raises(PermanentlyRefused, match="not a valid number"):
        send_code()


def test_no_error_repeats_code_or_number(gateway: Double, settings: Settings) -> None:
    configure(settings, "to={phone}&text={text}")
    gateway.answer = lambda request: Answer(500, b"no: " + request.body + b"\n042137 13800138000\x1b[2J")
    with pytest.raises(NotSent) as refused:
        send_code()
    text = str(refused.value)
    assert "answered 500: no: " in text
    assert not any(hidden in text for hidden in (CODE, "13800138000", "\n", "\x1b"))


@pytest.mark.parametrize("answer", [Answer(silent=True), Answer(drip=True)])
def test_a_slow_gateway_takes_no_longer_than_its_time(
    gateway: Double, settings: Settings, answer: Answer
) -> None:
    configure(settings, "to={phone}&text={text}", TIMEOUT=0.3)
    gateway.answer = lambda _request: answer

    def attempt() -> None:
        with pytest.raises(NotSent, match=r"no answer within 0\.3 seconds"):
            send_code()

    assert best_seconds(attempt, below=3) < 3


def test_a_gateway_that_is_down_is_not_sent(gateway: Double, settings: Settings) -> None:
    configure(settings, "to={phone}&text={text}")
    settings.SMS_HTTP_URL = "http://127.0.0.1:1/"
    with pytest.raises(NotSent, match="ConnectError"):
        send_code()
    settings.SMS_HTTP_URL = "https://127.0.0.1:" + gateway.url.rpartition(":")[2]
    with pytest.raises(NotSent):
        send_code()


@pytest.mark.django_db
def test_the_outbox_tries_a_lost_message_again(gateway: Double, settings: Settings) -> None:
    configure(settings, "to={phone}&text={text}")
    gateway.answer = lambda _request: Answer(503)
    outbox.post(channel=Channel.SMS, to=PHONE, text=TEXT, key="order:1:paid")
    assert sending.send(["order:1:paid"]) == 0
    row = Message.objects.get()
    assert (row.state, row.attempts) == (State.WAITING, 1)
    assert "answered 503" in row.last_error
    gateway.answer = lambda _request: Answer(200)
    Message.objects.update(next_try_at=row.created_at)
    assert sending.send(["order:1:paid"]) == 1
    assert [parse_qs(sent.body.decode())["text"] for sent in gateway.received] == [[TEXT], [TEXT]]


@pytest.mark.django_db
def test_a_log_in_waits_no_longer_than_the_gateway_may(gateway: Double, settings: Settings) -> None:
    configure(settings, "to={phone}&code={code}", TIMEOUT=0.3)
    gateway.answer = lambda _request: Answer(silent=True)
    with pytest.raises(Problem) as refused:
        codes.send(PHONE, ip="203.0.113.7", holder=codes.new_request())
    assert (refused.value.status, refused.value.code) == (503, "not_sent")
    gateway.answer = lambda _request: Answer(200)
    code = codes.send(PHONE, ip="203.0.113.7", holder=codes.new_request())
    assert parse_qs(gateway.received[-1].body.decode()) == {"to": [PHONE], "code": [code]}


@pytest.mark.parametrize("phone", ["+9990000000001", "-42", "", "nobody"])
def test_what_is_no_number_is_refused_for_good(phone: str, gateway: Double, settings: Settings) -> None:
    """A person made for load tests has none, nor has a purged account."""
    configure(settings, "To={digits}&Body={text}")
    with pytest.raises(PermanentlyRefused, match="no number"):
        sms.sender().send(phone, TEXT)
    assert gateway.received == []
