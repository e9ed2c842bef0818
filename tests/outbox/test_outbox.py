"""Posted in a transaction: written once, told to the workers after the commit, sent once."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from apps.outbox import outbox, sending, tasks, ways
from apps.outbox.models import Channel, Message, State
from apps.outbox.outbox import OutgoingMessage
from apps.queues import delayed
from apps.queues.delayed import Priority
from tests.outbox import fake_senders
from tests.outbox.fake_senders import pending_errors, sent

PHONE = "+8613800000001"
pytestmark = pytest.mark.django_db(transaction=True)


def post(key: str = "k", text: str = "hello", **more: Any) -> None:
    outbox.post(channel=Channel.SMS, to=PHONE, text=text, key=key, **more)


def row(key: str = "k") -> Message:
    return Message.objects.get(key=key)


def later(seconds: float = 60) -> None:
    """Time passes for all that waits."""
    back = timezone.now() - timedelta(seconds=seconds)
    Message.objects.waiting().update(next_try_at=back)


def test_a_message_is_written_told_and_sent() -> None:
    post()
    job = delayed.find_job("outbox:k")
    assert job
    assert (job.task, job.args, job.priority) == (tasks.send.name, [["k"]], Priority.NORMAL)
    assert tasks.send(["k"]) == 1
    assert sent == [(PHONE, "hello")]
    kept = row()
    assert (kept.state, kept.attempts, kept.last_error) == (State.SENT, 1, "")
    assert kept.sent_at


@pytest.mark.both_databases
def test_a_transaction_that_is_rolled_back_tells_nobody() -> None:
    with transaction.atomic():
        post()
        transaction.set_rollback(True)
    assert not Message.objects.exists()
    assert delayed.find_job("outbox:k") is None


@pytest.mark.both_databases
def test_nobody_is_told_before_the_commit() -> None:
    with transaction.atomic():
        post()
        assert delayed.find_job("outbox:k") is None
    assert delayed.find_job("outbox:k")


def test_a_key_is_written_once() -> None:
    post(text="first")
    post(text="second")
    tasks.send(["k"])
    post(text="third")
    tasks.send(["k"])
    assert sent == [(PHONE, "first")]


def test_many_are_told_by_priority_and_in_small_lots() -> None:
    letters = [
        OutgoingMessage(channel=Channel.SMS, to=PHONE, text="hi", key=f"{number}", priority=Priority.HIGH)
        for number in range(45)
    ]
    outbox.post_many(
        [
            *letters,
            OutgoingMessage(channel=Channel.SMS, to=PHONE, text="hi", key="low", priority=Priority.LOW),
        ]
    )
    assert Message.objects.count() == 46
    assert delayed.read_backlog().jobs == 4
    lot = delayed.find_job("outbox:20")
    assert lot
    assert (len(lot.args[0]), lot.priority) == (20, Priority.HIGH)


def test_posting_many_costs_the_same_queries_for_twenty_as_for_ten(django_assert_num_queries: Any) -> None:
    for count in (10, 20):
        letters = [
            OutgoingMessage(channel=Channel.SMS, to=PHONE, text="x", key=f"{count}-{number}")
            for number in range(count)
        ]
        with transaction.atomic(), django_assert_num_queries(1):
            outbox.post_many(letters)


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"text": "x" * 2_001},
        {"key": ""},
        {"key": "k" * 201},
        {"channel": "pigeon"},
        {"priority": 9},
        {"subject": "s" * 201},
        {"to": ""},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_no_row_can_hold_is_refused(wrong: dict[str, Any]) -> None:
    letter: dict[str, Any] = {"channel": Channel.SMS, "to": PHONE, "text": "x", "key": "k"} | wrong
    with pytest.raises(ValueError, match="outbox|valid"):
        outbox.post(**letter)
    assert not Message.objects.exists()


@pytest.mark.both_databases
def test_a_nul_does_not_end_the_caller_s_transaction() -> None:
    post(text="a\x00b")
    tasks.send(["k"])
    assert sent == [(PHONE, "a\ufffdb")]


def test_without_the_broker_the_sweep_sends(redis_away: None) -> None:
    post()
    assert sending.sweep() == 0, "it may be on its way by a job"
    later(10)
    assert sending.sweep() == 1
    assert len(sent) == 1


def test_the_most_urgent_go_first() -> None:
    for key, priority in (("low", Priority.LOW), ("normal", Priority.NORMAL), ("high", Priority.HIGH)):
        post(key, key, priority=priority)
    later()
    assert sending.sweep() == 3
    assert [text for _, text in sent] == ["high", "normal", "low"]


def test_a_sweep_ends_in_time() -> None:
    for number in range(3):
        post(f"{number}")
    later()
    assert sending.sweep(seconds=-1) == 0
    assert sending.sweep() == 3


def test_a_provider_that_is_away_is_asked_again_later_and_later() -> None:
    pending_errors.extend(fake_senders.not_sent() for _ in range(3))
    post()
    waits = []
    for _ in range(3):
        before = timezone.now()
        assert tasks.send(["k"]) == 0
        waits.append((row().next_try_at - before).total_seconds())
        assert tasks.send(["k"]) == 0, "it is not time yet"
        later()
    assert 5 <= waits[0] <= 10.5 <= 2 * 5.25
    assert 10 <= waits[1] <= 20.5
    assert 20 <= waits[2] <= 40.5
    assert row().last_error == "the provider does not answer"
    assert tasks.send(["k"]) == 1
    assert (row().attempts, len(sent)) == (4, 1)


def test_the_next_try_has_a_job_of_its_own() -> None:
    pending_errors.append(fake_senders.not_sent())
    post()
    tasks.send(["k"])
    job = delayed.find_job("outbox:k")
    assert job
    assert abs(job.at - row().next_try_at) < timedelta(milliseconds=2)


def test_pauses_grow_to_an_hour_and_are_never_the_same() -> None:
    pauses = [sending.retry_delay(30) for _ in range(50)]
    assert timedelta(minutes=30) <= min(pauses) < max(pauses) <= timedelta(hours=1)


def test_after_so_many_tries_a_message_fails() -> None:
    pending_errors.extend(fake_senders.not_sent() for _ in range(ways.MAX_TRIES))
    post()
    for _ in range(ways.MAX_TRIES + 2):
        tasks.send(["k"])
        later()
    assert (row().state, row().attempts, sent) == (State.FAILED, ways.MAX_TRIES, [])


def test_a_number_that_does_not_exist_is_tried_once() -> None:
    pending_errors.append(fake_senders.permanently_refused())
    post()
    tasks.send(["k"])
    assert (row().state, row().attempts, row().last_error) == (State.FAILED, 1, "no such number")


def test_a_sender_with_a_flaw_keeps_nobody_else_waiting() -> None:
    pending_errors.append(RuntimeError("a flaw"))
    post("a")
    post("b")
    assert tasks.send(["a", "b"]) == 1
    assert row("a").last_error == "RuntimeError: a flaw"
    assert row("a").state == State.WAITING


def test_what_would_come_too_late_is_not_sent() -> None:
    post(until=timezone.now() - timedelta(seconds=1))
    post("good", until=timezone.now() + timedelta(minutes=5))
    assert tasks.send(["k", "good"]) == 1
    assert row().state == State.FAILED
    assert "too late" in row().last_error


def test_a_failed_message_is_sent_again_once() -> None:
    pending_errors.append(fake_senders.permanently_refused())
    post(until=timezone.now() + timedelta(hours=1))
    tasks.send(["k"])
    failed = row()
    assert sending.resend([failed]) == [failed]
    assert sending.resend([failed]) == []
    assert (row().state, row().attempts, row().until) == (State.WAITING, 0, None)
    assert tasks.send(["k"]) == 1


def test_a_worker_that_died_while_sending_is_followed_by_another() -> None:
    post()
    Message.objects.update(attempts=1, claimed_until=timezone.now() + timedelta(minutes=5))
    later()
    assert sending.sweep() == 0
    Message.objects.update(claimed_until=timezone.now() - timedelta(seconds=10))
    assert sending.sweep() == 1
    assert row().attempts == 2


@pytest.mark.both_databases
def test_who_comes_back_too_late_does_not_undo_what_another_did(monkeypatch: pytest.MonkeyPatch) -> None:
    post()

    class Frozen:
        """While it sends, its claim runs out and another worker sends the message."""

        def send(self, phone: str, text: str) -> None:
            monkeypatch.setattr(f"{fake_senders.__name__}.RecordingSender.send", real)
            Message.objects.update(claimed_until=timezone.now() - timedelta(minutes=1))
            assert tasks.send(["k"]) == 1
            raise fake_senders.not_sent()

    real = fake_senders.RecordingSender.send
    monkeypatch.setattr(f"{fake_senders.__name__}.RecordingSender.send", Frozen.send)
    tasks.send(["k"])
    assert row().state == State.SENT


@pytest.mark.both_databases
def test_an_e_mail_goes_by_django_s_backend(settings: Settings) -> None:
    settings.ADMINS = [("", "ops@example.org"), ("", "boss@example.org")]
    for _ in range(2):
        outbox.email_managers(subject="Odd", text="Look at <b>", key="odd:1")
    later()
    assert sending.sweep() == 2
    assert sorted(letter.to[0] for letter in mail.outbox) == ["boss@example.org", "ops@example.org"]
    (letter, _other) = mail.outbox
    assert (letter.subject, letter.body) == ("Odd", "Look at <b>")
    assert isinstance(letter, mail.EmailMultiAlternatives)
    ((page, kind),) = letter.alternatives
    assert (kind, "Look at &lt;b&gt;" in str(page), "Savor" in str(page)) == ("text/html", True, True)


def test_a_subject_of_two_lines_is_refused_by_the_mailer() -> None:
    outbox.post(channel=Channel.EMAIL, to="a@example.org", subject="a\nBcc: b@example.org", text="x", key="k")
    tasks.send(["k"])
    assert (row().state, mail.outbox) == (State.FAILED, [])


def test_a_mail_server_that_is_away_is_asked_again(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    outbox.post(channel=Channel.EMAIL, to="a@example.org", subject="s", text="x", key="k")
    tasks.send(["k"])
    assert (row().state, row().attempts) == (State.WAITING, 1)
    assert "Refused" in row().last_error


@pytest.mark.both_databases
def test_what_was_sent_long_ago_is_forgotten() -> None:
    post("old")
    post("new")
    tasks.send(["old", "new"])
    long_ago: datetime = timezone.now() - sending.SENT_RETENTION - timedelta(days=1)
    Message.objects.filter(key="old").update(sent_at=long_ago)
    assert tasks.tidy() == 1
    assert Message.objects.get().key == "new"
