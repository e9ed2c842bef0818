"""What a sender raises when a message did not go out."""


class NotSent(Exception):
    """The provider refused or did not answer; another try may do better."""


class PermanentlyRefused(NotSent):
    """The provider will never take this message: no such number, no such address."""
