"""A sender that keeps what it was given, for tests that need the code a person would read."""

import re

messages: list[tuple[str, str]] = []


class RecordingSender:
    """settings.SMS_SENDER of the account tests."""

    def send(self, phone: str, text: str) -> None:
        messages.append((phone, text))


def last_code(phone: str) -> str:
    """The digits of the newest message to a phone."""
    text = next(text for to, text in reversed(messages) if to == phone)
    found = re.search(r"\b\d{6}\b", text)
    assert found
    return found[0]
