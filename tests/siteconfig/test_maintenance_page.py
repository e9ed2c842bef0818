"""The admin's page of the maintenance switch, and the command of the same."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.siteconfig import site_state
from apps.siteconfig.maintenance import passes
from apps.siteconfig.maintenance import switch as switch_module
from apps.siteconfig.maintenance.switch import switch
from apps.siteconfig.models import MaintenanceChange
from apps.web.short_dates import short_moment

pytestmark = pytest.mark.django_db
PAGE = "/admin/maintenance/"
FORM = {"ends": "30", "text_en": "Back soon.", "text_zh": ""}


def run(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("maintenance", *arguments, stdout=out, **options)
    return out.getvalue()


def test_a_manager_closes_and_opens_the_site(boss: Client) -> None:
    assert "The site was never closed." in boss.get(PAGE).content.decode()
    answer = boss.post(f"{PAGE}close/", FORM, follow=True)
    assert "The site is closed since" in answer.content.decode()
    closed = switch.closed
    assert closed
    assert closed.until
    assert timedelta(minutes=29) < closed.until - timezone.now() <= timedelta(minutes=30)
    assert "The site is closed since" in boss.get("/admin/").content.decode()
    # Whoever closes the site goes on seeing it.
    assert boss.get("/").status_code == 200
    assert "The site is open." in boss.post(f"{PAGE}open/", follow=True).content.decode()
    logged = LogEntry.objects.order_by("pk").values_list("change_message", flat=True)
    assert list(logged) == ["closed the site for maintenance", "opened the site"]
    assert switch.closed is None
    assert MaintenanceChange.objects.count() == 2


def test_a_change_of_the_text_keeps_the_end(boss: Client) -> None:
    boss.post(f"{PAGE}close/", FORM)
    first = switch.closed
    boss.post(f"{PAGE}close/", FORM | {"ends": "unchanged", "text_en": "A little longer."})
    assert first
    assert switch.closed
    assert (switch.closed.until, switch.closed.text_en) == (first.until, "A little longer.")


def test_a_wrong_form_changes_nothing(boss: Client) -> None:
    answer = boss.post(f"{PAGE}close/", FORM | {"ends": "tomorrow"})
    assert answer.status_code == 200
    assert "tomorrow is not one of the available choices" in answer.content.decode()
    assert switch.closed is None


def test_without_redis_the_page_says_so(boss: Client, redis_away_now: Callable[[], None]) -> None:
    redis_away_now()
    assert "Redis is away" in boss.get(PAGE).content.decode()
    answer = boss.post(f"{PAGE}close/", FORM)
    assert answer.status_code == 302
    assert "nothing was changed" in boss.get(PAGE).content.decode()
    assert boss.post(f"{PAGE}open/").status_code == 302


def test_staff_without_the_permission_are_refused(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get(PAGE).status_code == 403
    assert client.post(f"{PAGE}close/", FORM).status_code == 403
    assert switch.closed is None


def test_the_command_closes_opens_and_tells() -> None:
    assert run("status") == "open\n"
    assert "closed since" in run("on", minutes=20, text_en="Back soon.")
    assert switch.closed
    assert switch.closed.text_en == "Back soon."
    assert "expected until" in run("status")
    assert run("off") == "open\n"
    assert switch.closed is None


@pytest.mark.both_databases
def test_the_usual_texts_are_a_setting(boss: Client) -> None:
    texts = {"text_en": "We clean the ovens.", "text_zh": "我们在清洗烤箱。"}
    boss.post("/admin/settings/maintenance/", {"based_on": "0", **texts})
    site_state.poller.read_now()
    assert "We clean the ovens." in boss.get(PAGE).content.decode()
    run("on", text_en="We move.")
    assert switch.closed
    assert (switch.closed.text_en, switch.closed.text_zh) == ("We move.", "我们在清洗烤箱。")


def test_the_command_reads_an_end_in_the_time_of_the_site() -> None:
    end = timezone.localtime() + timedelta(hours=2)
    run("on", until=f"{end:%Y-%m-%d %H:%M}")
    assert switch.closed
    assert switch.closed.until == end.replace(second=0, microsecond=0)


@pytest.mark.parametrize("end", ["soon", "2020-01-01 00:00", "2026-99-99 00:00"])
def test_the_command_refuses_an_end_that_is_none(end: str) -> None:
    with pytest.raises(CommandError):
        run("on", until=end)
    assert switch.closed is None


@pytest.mark.usefixtures("redis_away")
def test_the_command_says_that_redis_is_away() -> None:
    with pytest.raises(CommandError, match="Redis does not answer"):
        run("on")


NOTICE = "The site is closed for visitors"


def test_pages_with_a_pass_say_that_the_site_is_closed_and_until_when(boss: Client) -> None:
    boss.post(f"{PAGE}close/", FORM)
    assert switch.closed
    until = short_moment(switch.closed.until or timezone.now())
    for path in ("/", "/shops/", "/sales/", "/nowhere/"):
        answer = boss.get(path, headers={"accept": "text/html"})
        text = answer.content.decode()
        assert f"{NOTICE} until {until}." in text, path
        assert f'href="{PAGE}">Open the site</a>' in text
        assert answer["Cache-Control"] == "no-store"
        assert "CDN-Cache-Control" not in answer
    chinese = boss.get("/", headers={"accept-language": "zh-CN"}).content.decode()
    assert "站点暂不对访客开放，预计" in chinese
    assert "开放站点" in chinese


def test_an_end_that_has_passed_or_that_nobody_knows_is_left_out(boss: Client) -> None:
    boss.post(f"{PAGE}close/", FORM | {"ends": "unknown"})
    assert f"{NOTICE}." in boss.get("/").content.decode()
    assert switch.closed
    switch.closed = switch.closed.model_copy(update={"until": timezone.now() - timedelta(minutes=1)})
    assert f"{NOTICE}." in boss.get("/").content.decode()


def test_who_may_not_open_the_site_reads_the_line_without_a_way(client: Client, alice: User) -> None:
    switch_module.close_site(until=None, changed_by="x")
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    client.get(f"{PAGE}pass/")
    text = client.get("/").content.decode()
    assert f"{NOTICE}." in text
    assert PAGE not in text


def test_without_a_pass_or_when_open_again_no_page_says_so(boss: Client) -> None:
    assert NOTICE not in boss.get("/").content.decode()
    boss.post(f"{PAGE}close/", FORM)
    refused = Client().get("/", headers={"accept": "text/html"})
    assert (refused.status_code, NOTICE in refused.content.decode()) == (503, False)
    assert NOTICE not in boss.get("/healthz").content.decode()
    boss.post(f"{PAGE}open/")
    answer = boss.get("/")
    assert NOTICE not in answer.content.decode()
    assert answer["Cache-Control"] != "no-store"


def test_the_pass_of_an_earlier_maintenance_or_another_key_opens_nothing(boss: Client) -> None:
    boss.post(f"{PAGE}close/", FORM)
    boss.post(f"{PAGE}open/")
    switch_module.close_site(until=None, changed_by="x")
    assert boss.get("/").status_code == 503
    boss.cookies[passes.PASS_COOKIE] = f"{boss.cookies[passes.PASS_COOKIE].value}.open"
    assert boss.get("/").status_code == 503
