"""Two workers and one message; and kill -9 at each step between "it happened" and "they know"."""

import subprocess
import sys
from pathlib import Path

import pytest

from apps.outbox import outbox, sending
from apps.outbox.models import Channel, Message, State
from tests import races
from tests.outbox.post_office import sent
from tests.sites import ROOT, Site, wait_until

PHONE = "+8613800000001"


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_a_message_once_200_times() -> None:
    for number in range(200):
        outbox.post(channel=Channel.SMS, to=PHONE, text="x", key=f"{number}")
        key = [f"{number}"]
        answers = races.race(2, lambda _, key=key: sending.send(key))
        assert sorted(map(str, answers)) == ["0", "1"], number
    assert len(sent) == 200
    assert set(Message.objects.values_list("state", "attempts")) == {(State.SENT, 1)}


@pytest.mark.django_db(transaction=True)
def test_two_who_post_the_same_write_it_once_200_times() -> None:
    for number in range(200):
        post = lambda _, key=f"{number}": outbox.post(  # noqa: E731
            channel=Channel.SMS, to=PHONE, text="x", key=key
        )
        assert races.race(2, post) == [None, None]
    assert Message.objects.count() == 200


POST = """
import django; django.setup()
from apps.outbox import outbox, sending
outbox.post(channel="sms", to="+8613800000001", text="{diary}", key="k")
"""
SEND = """
import django; django.setup()
from apps.outbox import sending
sending.send(["k"])
"""


@pytest.fixture
def shop(tmp_path: Path) -> Site:
    """A site whose messages are lines of a file; its worker and beat are not running yet."""
    return Site(tmp_path / "site", SMS_SENDER="tests.outbox.post_office.Ledger")


def run(site: Site, code: str, **environment: str) -> int:
    """Run code in a process of the site; its exit code, -9 when it was killed."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=site.environment | environment, check=False
    )
    return done.returncode


def lines(diary: Path) -> int:
    return len(diary.read_text().splitlines()) if diary.exists() else 0


@pytest.mark.fault
def test_killed_between_commit_and_nudge_nothing_is_lost(shop: Site, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    with shop as site:
        assert run(site, POST.format(diary=diary), CRASH_AT="posted:1") == -9
        assert lines(diary) == 0
        site.start("worker", "beat")
        wait_until(lambda: lines(diary) == 1, seconds=60, otherwise=site.log("worker") + site.log("beat"))


@pytest.mark.fault
def test_killed_between_sending_and_noting_it_is_sent_once_more(shop: Site, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    with shop as site:
        assert run(site, POST.format(diary=diary)) == 0
        assert run(site, SEND, CRASH_AT="sent:1") == -9
        assert lines(diary) == 1
        assert run(site, SEND) == 0
        assert lines(diary) == 1, "the dead one's claim still stands"
        # Six minutes later.
        expire = (
            "from apps.outbox import models; models.Message.objects.update(claimed_until='2000-01-01T00:00Z')"
        )
        assert run(site, f"import django; django.setup(); {expire}") == 0
        assert run(site, SEND) == 0
        assert lines(diary) == 2
        assert run(site, SEND) == 0
        assert lines(diary) == 2


@pytest.mark.fault
def test_a_nudge_reaches_a_worker_by_the_mover(shop: Site, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    with shop as site:
        site.start("worker", "mover")
        assert run(site, POST.format(diary=diary)) == 0
        wait_until(lambda: lines(diary) == 1, seconds=60, otherwise=site.log("worker") + site.log("mover"))
