"""Exceptions of senders for messages that did not go out."""


class NotSent(Exception):
    """The provider refused or did not answer; a later try may succeed."""


class PermanentlyRefused(NotSent):
    """The provider will never take this message: no such number or address."""
