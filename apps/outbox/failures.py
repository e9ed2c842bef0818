"""Exceptions of senders for messages that did not go out."""

from datetime import datetime


class NotSent(Exception):
    """The provider refused or did not answer; a later try may succeed."""


class PermanentlyRefused(NotSent):
    """The provider will never take this message: no such number or address."""


class Postponed(Exception):  # noqa: N818 - says what it is
    """The message was not tried: its receiver is busy or rests until a time. It counts as no try."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"waits until {until:%H:%M:%S}")
        self.until = until
