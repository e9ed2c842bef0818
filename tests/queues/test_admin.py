"""Dead tasks in the admin: who may look, run again, delete."""

from uuid import uuid4

import pytest
from celery import shared_task
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from apps.queues import failed_tasks
from apps.queues.failed_tasks import TaskFailure
from apps.queues.models import DeadTask, Reason

CONFIRMED = {"_form_submitted": "True"}
LIST = "/admin/queues/deadtask/"
pytestmark = pytest.mark.django_db(transaction=True)
ran: list[int] = []


@shared_task(name="test.count")
def count(number: int) -> None:
    ran.append(number)


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()


def make_dead_task(name: str = "test.count", reason: Reason = Reason.RAISED) -> DeadTask:
    task_id = f"{uuid4()}"
    failed_tasks.record_failure(
        TaskFailure(task_id=task_id, name=name, args=[7], reason=reason, error="a <b>flaw</b>", traceback="T")
    )
    return DeadTask.objects.get(task_id=task_id)


@pytest.fixture
def clerk(client: Client, bob: User) -> Client:
    """Staff who may look at dead tasks."""
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    allow(bob, "view_deadtask")
    client.force_login(bob)
    return client


def allow(user: User, name: str) -> None:
    user.user_permissions.add(Permission.objects.get(codename=name))


def test_a_dead_task_shows_all_it_takes(boss: Client) -> None:
    page = boss.get(f"{LIST}{make_dead_task().pk}/change/").content.decode()
    assert "a &lt;b&gt;flaw&lt;/b&gt;" in page
    assert "&quot;args&quot;: [" in page


def test_it_is_run_again_once_after_a_question(boss: Client) -> None:
    one = make_dead_task()
    url = f"{LIST}{one.pk}/run-again/"
    assert b"Run this task again?" in boss.get(url).content
    assert ran == [], "asking runs nothing"
    assert "back in its queue" in boss.post(url, CONFIRMED, follow=True).content.decode()
    assert ran == [7]
    assert boss.post(url, CONFIRMED).status_code == 403
    assert ran == [7]


@pytest.mark.both_databases
def test_many_are_run_again_and_the_others_say_why_not(boss: Client) -> None:
    rows = [make_dead_task(), make_dead_task(), make_dead_task("test.gone", Reason.UNKNOWN)]
    chosen = {"action": "run_chosen", "_selected_action": [row.pk for row in rows]}
    page = boss.post(LIST, chosen, follow=True).content.decode()
    assert "2 tasks are back in their queues." in page
    assert "no task of this name is installed here" in page
    assert ran == [7, 7]
    assert DeadTask.objects.waiting().get() == rows[2]


def test_an_unreadable_message_has_no_button(boss: Client) -> None:
    one = make_dead_task(reason=Reason.MALFORMED)
    assert "run-again" not in boss.get(f"{LIST}{one.pk}/change/").content.decode()
    assert boss.post(f"{LIST}{one.pk}/run-again/", CONFIRMED).status_code == 403


@pytest.mark.both_databases
def test_looking_is_not_running(clerk: Client) -> None:
    one = make_dead_task()
    assert clerk.get(f"{LIST}{one.pk}/change/").status_code == 200
    assert clerk.post(f"{LIST}{one.pk}/run-again/", CONFIRMED).status_code == 403
    chosen = {"action": "run_chosen", "_selected_action": [one.pk]}
    clerk.post(LIST, chosen, follow=True)
    assert clerk.post(f"{LIST}{one.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ran == []


@pytest.mark.both_databases
def test_who_may_run_them_does(clerk: Client, bob: User) -> None:
    allow(bob, "run_again")
    clerk.post(f"{LIST}{make_dead_task().pk}/run-again/", CONFIRMED)
    assert ran == [7]


@pytest.mark.both_databases
def test_a_dead_task_can_be_deleted(boss: Client) -> None:
    boss.post(f"{LIST}{make_dead_task().pk}/delete/", {"post": "yes"})
    assert not DeadTask.objects.exists()


@pytest.mark.both_databases
def test_the_list_filters_and_finds(boss: Client) -> None:
    one, other = make_dead_task(), make_dead_task("test.other")
    DeadTask.objects.filter(pk=other.pk).update(replayed_at="2026-01-01T00:00Z")
    waiting = boss.get(f"{LIST}?state=waiting").content.decode()
    assert f"/{one.pk}/change/" in waiting
    assert f"/{other.pk}/change/" not in waiting
    found = boss.get(f"{LIST}?q=test.other").content.decode()
    assert f"/{other.pk}/change/" in found
    assert f"/{one.pk}/change/" not in found
