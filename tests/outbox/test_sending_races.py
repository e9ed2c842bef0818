"""Two workers and one message; and kill -9 at each step between "it happened" and "they know"."""

import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from apps.outbox import outbox, sending
from apps.outbox.models import Channel, Message, State
from tests import races
from tests.faults.management_process import ManagementProcess
from tests.outbox.fake_senders import sent
from tests.rounds import choose_rounds
from tests.sites import Site, wait_until

PHONE = "+8613800000001"
ROUNDS = choose_rounds(20, long=200)


def post(key: str, _racer: int = 0) -> None:
    outbox.post(channel=Channel.SMS, to=PHONE, text="x", key=key)


def send(key: str, _racer: int) -> int:
    return sending.send([key])


@pytest.mark.wide
@pytest.mark.django_db(transaction=True)
def test_two_workers_send_a_message_once() -> None:
    for number in range(ROUNDS):
        post(f"{number}")
        answers = races.race(2, partial(send, f"{number}"))
        assert sorted(map(str, answers)) == ["0", "1"], number
    assert len(sent) == ROUNDS
    assert set(Message.objects.values_list("state", "attempts")) == {(State.SENT, 1)}


@pytest.mark.wide
@pytest.mark.django_db(transaction=True)
def test_two_who_post_the_same_write_it_once() -> None:
    for number in range(ROUNDS):
        assert races.race(2, partial(post, f"{number}")) == [None, None]
    assert Message.objects.count() == ROUNDS


POST = """
from apps.outbox import outbox
outbox.post(channel="sms", to="+8613800000001", text="{diary}", key="k")
"""
CLEAR = "Message.objects.all().delete()"
SEND = """
from apps.outbox import sending
sending.send(["k"])
"""
EXPIRE = "Message.objects.update(claimed_until='2000-01-01T00:00Z')"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site whose messages are lines of a file."""
    with Site(tmp_path_factory.mktemp("site"), SMS_SENDER="tests.outbox.fake_senders.FileSender") as site:
        yield site


@pytest.fixture(scope="module")
def clerk(running: Site) -> Iterator[ManagementProcess]:
    with ManagementProcess(running.environment) as started:
        yield started


@pytest.fixture
def shop(running: Site, clerk: ManagementProcess) -> Iterator[Site]:
    """Nothing waits there and no process runs."""
    yield running
    running.stop()
    clerk.run_code(CLEAR)


def lines(diary: Path) -> int:
    return len(diary.read_text().splitlines()) if diary.exists() else 0


@pytest.mark.fault
def test_killed_between_commit_and_nudge_nothing_is_lost(
    shop: Site, clerk: ManagementProcess, tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    assert clerk.run_code_until_killed(POST.format(diary=diary), crash_at="posted:1") == -signal.SIGKILL
    assert lines(diary) == 0
    shop.start("worker", "beat")
    wait_until(lambda: lines(diary) == 1, seconds=120, otherwise=shop.log("worker") + shop.log("beat"))


@pytest.mark.fault
def test_killed_between_sending_and_noting_it_is_sent_once_more(
    shop: Site, clerk: ManagementProcess, tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    clerk.run_code(POST.format(diary=diary))
    assert clerk.run_code_until_killed(SEND, crash_at="sent:1") == -signal.SIGKILL
    assert lines(diary) == 1
    clerk.run_code(SEND)
    assert lines(diary) == 1, "the dead one's claim still stands"
    # Six minutes later.
    clerk.run_code(EXPIRE)
    clerk.run_code(SEND)
    assert lines(diary) == 2
    clerk.run_code(SEND)
    assert lines(diary) == 2


@pytest.mark.fault
def test_a_nudge_reaches_a_worker_by_the_mover(shop: Site, clerk: ManagementProcess, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    shop.start("worker", "mover")
    clerk.run_code(POST.format(diary=diary))
    wait_until(lambda: lines(diary) == 1, seconds=120, otherwise=shop.log("worker") + shop.log("mover"))
