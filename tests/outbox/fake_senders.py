"""Senders for tests: one that keeps what it was given, and one for other processes."""

import time
from pathlib import Path

from apps.outbox.failures import NotSent, PermanentlyRefused

sent: list[tuple[str, str]] = []
#: What the next sendings raise, first come first.
pending_errors: list[Exception] = []


class RecordingSender:
    """settings.SMS_SENDER of the outbox tests."""

    def send(self, phone: str, text: str) -> None:
        if pending_errors:
            raise pending_errors.pop(0)
        time.sleep(0.001)
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
