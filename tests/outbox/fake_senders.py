"""Senders for tests: one that keeps what it was given, and one for other processes."""

from pathlib import Path

from apps.outbox.failures import NotSent, PermanentlyRefused
from apps.outbox.models import Message

sent: list[tuple[str, str]] = []
#: What the next sendings raise, first come first.
pending_errors: list[Exception] = []


class RecordingSender:
    """settings.SMS_SENDER of the outbox tests."""

    def send(self, phone: str, text: str) -> None:
        if pending_errors:
            raise pending_errors.pop(0)
        # A trip, as to a provider: another sender may come in between.
        Message.objects.exists()
        sent.append((phone, text))


class FileSender:
    """Adds a line for each message to the file that is named in its text."""

    def send(self, phone: str, text: str) -> None:
        with Path(text).open("ab", buffering=0) as file:
            file.write(f"{phone}\n".encode())


def not_sent() -> NotSent:
    return NotSent("the provider does not answer")


def permanently_refused() -> PermanentlyRefused:
    return PermanentlyRefused("no such number")
