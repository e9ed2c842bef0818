"""Dead tasks and the outbox in a real browser: on a phone and a desk, light and dark."""

from uuid import uuid4

import pytest
from celery import shared_task
from playwright.sync_api import expect

from apps.accounts.models import User
from apps.outbox import outbox, sending
from apps.outbox.models import Channel, Message
from apps.queues import failed_tasks, task_counts
from apps.queues.failed_tasks import TaskFailure
from apps.queues.models import DeadTask, Reason
from tests import chromium_pages
from tests.page_opening import open_admin_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ran: list[str] = []
TRACE = (
    "Traceback (most recent call last):\n"
    + '  File "/srv/savor/apps/blog/feed/fan_out.py", line 31, in push\n' * 9
)


@shared_task(name="test.press")
def press(word: str) -> None:
    ran.append(word)


@pytest.fixture
def troubles() -> DeadTask:
    """A dead task of each reason with long words, and messages that wait and failed."""
    ran.clear()
    for number, reason in enumerate(Reason):
        name = (
            "test.press" if reason is Reason.RAISED else f"apps.coupons.tasks.close_overdue_orders_{number}"
        )
        error = f"OperationalError: could not connect to server {'x' * 60}: Connection refused"
        told = TaskFailure(
            task_id=f"{uuid4()}", name=name, args=["a" * 90], reason=reason, error=error, traceback=TRACE
        )
        failed_tasks.record_failure(told)
        task_counts.count_failure(name)
    for number in range(3):
        outbox.post(
            channel=Channel.SMS,
            to="+8613800000001",
            text="Savor: “Spa afternoon with steam, stone and tea” at Quiet Garden Bath House is yours. " * 2,
            key=f"order:{number}:paid",
        )
    sending.send(["order:0:paid"])
    Message.objects.filter(key="order:1:paid").update(state="failed", last_error="no such number")
    return DeadTask.objects.get(name="test.press")


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_no_page_is_wider_than_its_screen_or_breaks_its_policy(
    page_at: chromium_pages.PageAt, manager: User, troubles: DeadTask, width: int, theme: str
) -> None:
    complaints: list[str] = []
    page = page_at(width, theme="dark" if theme == "dark" else "light")
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    open_admin_page(page, manager, "/admin/")
    message = Message.objects.failed().get()
    for path in (
        "/admin/operation/",
        "/admin/queues/deadtask/",
        f"/admin/queues/deadtask/{troubles.pk}/change/",
        "/admin/outbox/message/",
        f"/admin/outbox/message/{message.pk}/change/",
    ):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert chromium_pages.horizontal_overflow(page) == 0, path
        assert complaints == [], path


def test_a_manager_runs_a_dead_task_again_on_a_phone(
    page_at: chromium_pages.PageAt, manager: User, troubles: DeadTask
) -> None:
    page = open_admin_page(page_at(360), manager, f"/admin/queues/deadtask/{troubles.pk}/change/")
    page.locator("a[hx-get]:visible", has_text="Run again").click()
    page.locator("#dialog").get_by_role("button", name="Run again").click()
    expect(page.get_by_text("The task is back in its queue.")).to_be_visible()
    assert ran == ["a" * 90]
