"""Months and points in the admin: to look at, and one button that moves points with its reason."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from apps.signins.models import PointEntry, SignInMonth, Standing
from tests.signins import makers
from tests.signins.makers import TODAY

pytestmark = pytest.mark.django_db(transaction=True)
ADJUST = {"_form_submitted": "True", "amount": "-30", "note": "Counted twice"}


@pytest.fixture
def totals(alice: User) -> Standing:
    return makers.checked_in_on(alice, makers.days_in_a_row(TODAY, 4), points=40)


def adjust(boss: Client, totals: Standing, **fields: str) -> str:
    url = f"/admin/signins/standing/{totals.pk}/adjust-points/"
    return boss.post(url, ADJUST | fields, follow=True).content.decode()


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["standing", "pointentry", "signinmonth"])
def test_lists_and_rows_open_and_change_nothing(boss: Client, totals: Standing, name: str) -> None:
    listed = boss.get(f"/admin/signins/{name}/")
    assert "Alice" in listed.content.decode()
    assert boss.get(f"/admin/signins/{name}/?q=Alice").status_code == 200
    row = {"standing": totals.pk, "pointentry": PointEntry.objects.get().pk}.get(name)
    row = row or SignInMonth.objects.get().pk
    assert boss.get(f"/admin/signins/{name}/{row}/change/").status_code == 200
    assert boss.get(f"/admin/signins/{name}/add/").status_code == 403
    assert boss.post(f"/admin/signins/{name}/{row}/delete/").status_code == 403


def test_a_month_says_its_days(boss: Client, totals: Standing) -> None:
    month = SignInMonth.objects.get()
    assert "18, 19, 20, 21" in boss.get(f"/admin/signins/signinmonth/{month.pk}/change/").content.decode()


@pytest.mark.both_databases
def test_support_takes_points_and_says_why(boss: Client, totals: Standing) -> None:
    url = f"/admin/signins/standing/{totals.pk}/adjust-points/"
    assert "Why" in boss.get(url).content.decode()
    assert "The points are adjusted." in adjust(boss, totals)
    totals.refresh_from_db()
    assert totals.points == 10
    entry = PointEntry.objects.get(amount=-30)
    assert (entry.reason, entry.note) == ("adjustment", "Counted twice")
    assert "-30 Counted twice" in LogEntry.objects.get().get_change_message()


@pytest.mark.parametrize("amount", ["-41", "10001", "0.5", "", "x", "9" * 30])
def test_what_is_not_possible_moves_nothing(boss: Client, totals: Standing, amount: str) -> None:
    adjust(boss, totals, amount=amount)
    totals.refresh_from_db()
    assert totals.points == 40


@pytest.mark.both_databases
def test_staff_without_the_right_may_not(client: Client, totals: Standing, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    bob.user_permissions.add(
        Permission.objects.get(codename="view_standing", content_type__app_label="signins")
    )
    client.force_login(bob)
    answer = client.post(f"/admin/signins/standing/{totals.pk}/adjust-points/", ADJUST)
    totals.refresh_from_db()
    assert (answer.status_code, totals.points) == (403, 40)
