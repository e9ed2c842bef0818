"""Log-in by e-mail code: what proves an address, what opens an account, and what strangers learn."""

import logging
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts import codes, forms, limits
from apps.accounts.deletion import own_data
from apps.accounts.login import emails
from apps.accounts.models import AccessToken, DailyCount, LoginEmail, User
from apps.outbox.models import Message
from apps.web.problems import Problem
from tests.accounts import sms_recorder
from tests.accounts.conftest import issue_cached_token
from tests.accounts.staff.test_second_factor_everywhere import SITE_PAGE, set_up
from tests.factories import UserFactory
from tests.races import Race

pytestmark = pytest.mark.django_db
ADDRESS, UNKNOWN, IP = "alice@example.com", "nobody@example.com", "203.0.113.7"


@pytest.fixture(autouse=True)
def is_on(settings: Settings) -> None:
    settings.LOGIN_EMAIL = True


@pytest.fixture
def proven(alice: User) -> str:
    """An address that Alice has proven."""
    LoginEmail.objects.create(user=alice, address=ADDRESS)
    return ADDRESS


@pytest.fixture
def member(client: Client, alice: User) -> Client:
    """Alice's browser, logged in."""
    client.cookies["savor_token"] = issue_cached_token(alice, AccessToken.Kind.PAGE)
    return client


def last_code() -> str:
    found = re.search(r"\b\d{6}\b", str(mail.outbox[-1].body))
    assert found
    return found[0]


def wrong_for(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def ask(client: Client, address: str = ADDRESS) -> Any:
    """The answer to a request for a code."""
    answer = client.post("/login/code/", {"phone": address})
    assert answer.status_code == 200, answer.content
    return answer


def log_in(client: Client, code: str, address: str = ADDRESS) -> int:
    return client.post("/login/", {"phone": address, "code": code}).status_code


def count_texts(user: User) -> int:
    """How many messages told a person's phone of a change."""
    return Message.objects.filter(to=user.phone, key__startswith="email-changed:").count()


@pytest.mark.both_databases
def test_a_member_proves_an_address_and_logs_in_by_it(member: Client, alice: User) -> None:
    assert member.post("/me/email/", {"email": ADDRESS}).status_code == 200
    assert not LoginEmail.objects.exists()
    done = member.post("/me/email/finish/", {"email": ADDRESS, "code": last_code()})
    assert (done.status_code, done["Location"]) == (302, "/me/email/")
    assert LoginEmail.objects.get(user=alice).address == ADDRESS
    assert count_texts(alice) == 1
    assert ADDRESS in member.get("/me/email/").content.decode()
    browser = Client()
    ask(browser)
    assert mail.outbox[-1].to == [ADDRESS]
    assert log_in(browser, last_code()) == 302
    assert browser.get("/me/").context["user"] == alice


@pytest.mark.both_databases
def test_another_address_replaces_the_first(alice: User, proven: str) -> None:
    emails.finish(alice, "new@example.com", emails.begin(alice, "new@example.com", ip=IP), ip=IP)
    assert emails.find_own(alice) == "new@example.com"
    assert not LoginEmail.objects.filter(address=ADDRESS).exists()


@pytest.mark.both_databases
def test_removing_tells_the_phone_and_ends_the_way_in(member: Client, alice: User, proven: str) -> None:
    ask(client := Client())
    assert member.post("/me/email/remove/").status_code == 302
    assert count_texts(alice) == 1
    assert log_in(client, last_code()) == 400
    assert list(User.objects.all()) == [alice]
    member.post("/me/email/remove/")
    assert count_texts(alice) == 1


def test_a_code_is_good_once(proven: str) -> None:
    ask(client := Client())
    code = last_code()
    assert log_in(client, wrong_for(code)) == 400
    assert log_in(client, code) == 302
    client.cookies.pop("savor_token")
    assert log_in(client, code) == 400


def test_five_wrong_tries_use_a_code_up(proven: str) -> None:
    ask(client := Client())
    code = last_code()
    tries = [log_in(client, wrong_for(code)) for _ in range(codes.MAX_CHECKS_PER_CODE)]
    assert tries == [400] * 5
    assert log_in(client, code) == 400


def test_an_expired_code_is_refused(proven: str, guarded_redis: redis.Redis) -> None:
    ask(client := Client())
    (key,) = guarded_redis.scan_iter("savor:accounts:code:*")
    assert 0 < guarded_redis.ttl(key) <= 120
    guarded_redis.pexpire(key, 1)
    while guarded_redis.exists(key):
        pass
    assert log_in(client, last_code()) == 400


def test_a_code_is_good_for_its_purpose_and_its_browser_alone(member: Client, proven: str) -> None:
    member.post("/me/email/", {"email": ADDRESS})
    to_add = last_code()
    ask(client := Client())
    assert log_in(client, to_add) == 400
    to_log_in = last_code()
    assert log_in(Client(), to_log_in) == 400
    assert member.post("/me/email/finish/", {"email": ADDRESS, "code": to_log_in}).status_code == 400
    assert log_in(client, to_log_in) == 302


def test_a_code_of_one_address_is_none_of_another(member: Client) -> None:
    member.post("/me/email/", {"email": ADDRESS})
    sent = {"email": "carol@example.com", "code": last_code()}
    assert member.post("/me/email/finish/", sent).status_code == 400
    assert not LoginEmail.objects.exists()


def test_an_unknown_address_costs_and_hears_the_same(proven: str, round_trips: list[object]) -> None:
    ask(Client(), "first@example.com")
    heard, cost = [], []
    for address in (ADDRESS, UNKNOWN):
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            page = ask(Client(), address).content.decode()
        heard.append(page.replace(address, ""))
        cost.append((len(queries), len(round_trips)))
    assert heard[0] == heard[1]
    assert cost[0] == cost[1]
    assert [letter.to for letter in mail.outbox[1:]] == [[ADDRESS], [UNKNOWN]]
    assert not re.search(r"\d{6}", str(mail.outbox[-1].body))
    assert log_in(Client(), "123456") == log_in(Client(), "123456", UNKNOWN) == 400


def test_another_persons_address_is_refused_after_the_right_code_alone(
    alice: User, bob: User, proven: str
) -> None:
    code = emails.begin(bob, ADDRESS, ip=IP)
    with pytest.raises(Problem, match="wrong_code"):
        emails.finish(bob, ADDRESS, wrong_for(code), ip=IP)
    with pytest.raises(Problem, match="email_taken"):
        emails.finish(bob, ADDRESS, code, ip=IP)
    assert LoginEmail.objects.get(address=ADDRESS).user == alice
    assert count_texts(bob) == 0


@pytest.mark.both_databases
def test_of_people_who_prove_one_address_at_once_one_gets_it(race: Race, transactional_db: None) -> None:
    people = UserFactory.create_batch(4)
    sent = [
        (person, emails.begin(person, ADDRESS, ip=f"198.51.{place}.1")) for place, person in enumerate(people)
    ]

    def prove(number: int) -> str:
        person, code = sent[number]
        try:
            emails.finish(person, ADDRESS, code, ip=IP)
        except Problem as refused:
            return refused.code
        return ""

    assert sorted(map(str, race(4, prove))) == ["", *["email_taken"] * 3]
    assert LoginEmail.objects.filter(address=ADDRESS).count() == 1


@pytest.mark.parametrize(
    "typed",
    [
        "ALICE@Example.COM",
        " alice@example.com\n",
        "Ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        "alice\u200b@example.com",
    ],
)
def test_one_mailbox_is_one_address_however_it_is_typed(typed: str, proven: str) -> None:
    assert forms.parse_email(typed) == ADDRESS
    ask(client := Client(), typed)
    assert mail.outbox[-1].to == [ADDRESS]
    assert log_in(client, last_code(), typed) == 302


ODD = [
    "a@b",
    "@",
    "a@",
    "a@localhost",
    "a@[127.0.0.1]",
    '"a b"@example.com',
    "a b@example.com",
    "a@@example.com",
]
ODD += [
    "a\n@example.com",
    "a@example.com\nBcc: b@example.com",
    "a@example.com\r\nBcc: b@example.org",
    "a@x.com,b@x.com",
]
ODD += [
    "a\x00@example.com",
    "a\x07@example.com",
    "é@example.com",
    "a@例え.jp",
    "<a@example.com>",
    "a@-x.com",
    "\ud800@x.com",
]
ODD += ["a" * 250 + "@example.com", "a" * 100_000 + "@example.com", "a@" + "x" * 300 + ".com"]


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_address_gets_no_mail(text: str, member: Client) -> None:
    with pytest.raises(ValidationError):
        forms.parse_email(text)
    for path, name in (("/login/code/", "phone"), ("/me/email/", "email")):
        sent = text.encode(errors="surrogatepass")
        assert member.post(path, {name: sent.decode(errors="replace")}).status_code == 422
    assert not mail.outbox


def test_an_address_has_the_limits_of_a_phone(proven: str) -> None:
    for _ in range(limits.SEND_BY_PHONE_AND_SITE.allowed):
        ask(Client())
    refused = Client().post("/login/code/", {"phone": ADDRESS.upper()})
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert len(mail.outbox) == limits.SEND_BY_PHONE_AND_SITE.allowed
    ask(Client(), UNKNOWN)
    assert DailyCount.objects.filter(what="send:phone", subject=DailyCount.hashed(ADDRESS)).get().count == 5


def test_one_client_writes_to_no_hundred_strangers() -> None:
    for number in range(limits.SEND_BY_SITE.allowed):
        emails.send_code(f"stranger{number}@example.com", ip=IP, holder=codes.new_request())
    with pytest.raises(Problem, match="too_many_requests"):
        emails.send_code(UNKNOWN, ip=IP, holder=codes.new_request())
    assert len(mail.outbox) == limits.SEND_BY_SITE.allowed < 100


@pytest.fixture
def silent_server() -> Iterator[int]:
    """The port of a mail server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_mail_server_that_is_away_or_silent_is_said_soon(
    proven: str, settings: Settings, silent_server: int, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 0.2
    for port in (1, silent_server):
        settings.EMAIL_PORT = port
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            answer = Client().post("/login/code/", {"phone": ADDRESS})
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert "could not be mailed" in caplog.text
        assert ADDRESS not in caplog.text


def test_the_right_code_opens_no_closed_account(alice: User, proven: str) -> None:
    alice.is_active = False
    alice.save()
    ask(client := Client())
    assert log_in(client, last_code()) == 403


@pytest.mark.django_db(transaction=True)
def test_staff_still_need_their_second_factor(manager: User) -> None:
    LoginEmail.objects.create(user=manager, address=ADDRESS)
    set_up(manager)
    ask(client := Client())
    assert log_in(client, last_code()) == 302
    assert client.get("/lens/")["Location"].startswith(SITE_PAGE)
    assert client.get("/admin/").status_code == 302


def test_a_phone_still_logs_in_by_a_text_message(alice: User) -> None:
    ask(client := Client(), alice.phone)
    assert not mail.outbox
    assert log_in(client, sms_recorder.last_code(alice.phone), alice.phone) == 302


def test_it_is_off_without_the_setting(member: Client, proven: str, settings: Settings) -> None:
    assert "/me/email/" in member.get("/me/").content.decode()
    shown = Client().get("/login/").content.decode()
    assert "e-mail" in shown
    field = re.findall('<input[^>]* name="phone"[^>]*>', shown)
    assert [re.findall(' type="[a-z]+"', one) for one in field] == [[' type="text"']]
    settings.LOGIN_EMAIL = False
    assert member.get("/me/email/").status_code == 404
    assert member.post("/me/email/finish/").status_code == 404
    assert member.post("/me/email/remove/").status_code == 404
    assert "/me/email/" not in member.get("/me/").content.decode()
    assert (
        "e-mail" not in Client().get("/login/").content.decode().partition("<main")[2].partition("</main")[0]
    )
    assert Client().post("/login/code/", {"phone": ADDRESS}).status_code == 422
    assert log_in(Client(), "123456") == 422
    assert not mail.outbox


def test_its_pages_ask_for_a_log_in() -> None:
    for path in ("/me/email/", "/me/email/finish/", "/me/email/remove/"):
        assert Client().post(path)["Location"].startswith("/login/")


@pytest.mark.both_databases
def test_the_account_takes_its_address_along(alice: User, proven: str) -> None:
    ask(Client())
    assert own_data.export(alice.pk)["log_in_emails"] == [{"address": ADDRESS}]
    while own_data.purge(alice.pk):
        pass
    assert not LoginEmail.objects.exists()
    assert not DailyCount.objects.filter(subject=DailyCount.hashed(ADDRESS)).exists()
