"""The maintenance switch: who gets 503 and what it says, who passes, and what opens the site again."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import redis
from django.core.signing import Signer
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.redis_kit import client as redis_client
from apps.siteconfig import keys, site_state
from apps.siteconfig.maintenance import passes
from apps.siteconfig.maintenance.switch import (
    DEFAULT_RETRY_SECONDS,
    MAX_RETRY_SECONDS,
    close_site,
    open_site,
    switch,
)
from apps.siteconfig.models import MaintenanceChange
from apps.siteconfig.site_state import Poller

pytestmark = pytest.mark.django_db


def close(minutes: float | None = 5, **texts: str) -> datetime | None:
    """Close the site; returns the expected end."""
    until = None if minutes is None else timezone.now() + timedelta(minutes=minutes)
    close_site(until=until, changed_by="Manager", **texts)
    return until


def test_a_closed_site_says_when_it_opens_and_asks_again_by_itself(client: Client) -> None:
    until = close(text_en="We move to a larger kitchen.")
    assert until
    answer = client.get("/")
    assert (answer.status_code, answer["Cache-Control"]) == (503, "no-store")
    assert 290 <= int(answer["Retry-After"]) <= 300
    page = answer.content.decode()
    assert "We move to a larger kitchen." in page
    assert f"{timezone.localtime(until):%H:%M}" in page
    assert "js/maintenance.js" in page


def test_a_closed_site_speaks_chinese(client: Client) -> None:
    close(text_en="We move to a larger kitchen.", text_zh="我们在搬厨房。")
    page = client.get("/", headers={"accept-language": "zh"}).content.decode()
    assert "我们在搬厨房。" in page
    assert "kitchen" not in page


def test_programs_get_a_problem(client: Client) -> None:
    until = close()
    answer = client.post("/api/vouchers/1/seckill")
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    told = answer.json()
    assert (told["code"], told["until"]) == ("maintenance", until and until.isoformat())
    assert told["detail"]


@pytest.mark.parametrize(
    ("minutes", "seconds"),
    [(None, DEFAULT_RETRY_SECONDS), (-1, DEFAULT_RETRY_SECONDS), (600, MAX_RETRY_SECONDS)],
)
def test_nobody_is_told_to_wait_for_nothing_or_for_hours(
    client: Client, minutes: float | None, seconds: int
) -> None:
    close(minutes)
    assert client.get("/")["Retry-After"] == str(seconds)


def test_health_and_the_admin_answer(client: Client) -> None:
    close()
    assert client.get("/healthz").status_code == 200
    assert client.get("/admin/login/").status_code == 200
    assert client.get("/admin/", follow=False).status_code == 302
    assert client.get("/administrators").status_code == 503


def test_staff_enter_with_a_pass_of_this_maintenance(boss: Client) -> None:
    close()
    assert boss.get("/shops/").status_code == 503
    assert boss.get("/admin/maintenance/pass/").status_code == 302
    assert boss.get("/").status_code == 200
    open_site(changed_by="Manager")
    close()
    assert boss.get("/").status_code == 503


def test_a_person_gets_no_pass(client: Client, alice: User) -> None:
    client.force_login(alice)
    close()
    assert client.get("/admin/maintenance/pass/").status_code == 302
    assert passes.PASS_COOKIE not in client.cookies


def test_a_forged_pass_opens_nothing(client: Client) -> None:
    close()
    closed = switch.closed
    assert closed
    for value in (
        f"{closed.since:%Y%m%d%H%M%S%f}",
        Signer(salt="x").sign("1"),
        ":",
        "",
        "é".encode("latin-1"),
    ):
        client.cookies[passes.PASS_COOKIE] = value if isinstance(value, str) else value.decode("latin-1")
        assert client.get("/").status_code == 503


def test_another_process_hears_of_it_by_reading(client: Client) -> None:
    close()
    switch.closed = None
    site_state.poller.read_now()
    assert client.get("/").status_code == 503
    redis_client.get().delete(keys.MAINTENANCE())
    site_state.poller.read_now()
    assert client.get("/").status_code == 200


def test_without_redis_the_site_is_open(client: Client, redis_away_now: Callable[[], None]) -> None:
    close()
    redis_away_now()
    site_state.poller.read_now()
    assert client.get("/healthz").status_code == 200
    assert switch.closed is None


@pytest.mark.parametrize("planted", ["1", "{}", "[]", "maintenance", '{"since": "yesterday"}', "{\udc00"])
def test_a_planted_text_opens_the_site(guarded_redis: redis.Redis, planted: str) -> None:
    close()
    guarded_redis.set(keys.MAINTENANCE(), planted.encode("utf-8", "surrogatepass"))
    site_state.poller.read_now()
    assert switch.closed is None


def test_the_announcement_stays_the_same_object_while_nothing_changes() -> None:
    close()
    closed = switch.closed
    site_state.poller.read_now()
    assert switch.closed is closed


def test_a_process_reads_once_however_many_ask(settings: Settings) -> None:
    settings.SITECONFIG_POLL_SECONDS = 3600.0
    reads: list[int] = []
    poller = Poller(lambda: reads.append(1))
    for _ in range(1000):
        poller.ensure_read()
    # The first asker reads itself, and the thread begins with a read.
    assert 1 <= len(reads) <= 2


def test_a_failing_read_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("broken")

    poller = Poller(fail)
    poller.read_now()
    poller.read_now()
    assert len(caplog.records) == 2


def test_closing_again_keeps_the_beginning_and_notes_who(boss: Client) -> None:
    close(text_en="one")
    first = switch.closed
    close(text_en="two")
    assert switch.closed
    assert first
    assert (switch.closed.since, switch.closed.text_en) == (first.since, "two")
    open_site(changed_by="Alice")
    assert not open_site(changed_by="Alice")
    rows = MaintenanceChange.objects.order_by("id").values_list("is_on", "text_en", "changed_by")
    assert list(rows) == [(True, "one", "Manager"), (True, "two", "Manager"), (False, "", "Alice")]


def test_what_is_stored_is_json_that_people_can_read() -> None:
    close(text_en="one")
    told = json.loads(str(redis_client.get().get(keys.MAINTENANCE())))
    assert (told["text_en"], told["changed_by"]) == ("one", "Manager")
