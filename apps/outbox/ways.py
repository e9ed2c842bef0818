"""How messages of each channel leave: SMS and e-mail here, others registered by the apps that know them."""

from dataclasses import dataclass
from typing import Protocol

from apps.outbox import mail, sms
from apps.outbox.models import Message
from apps.web.registry import Registry

#: Tries before a message fails; with the pauses of `sending` they take an hour and a half.
MAX_TRIES = 10


class Deliver(Protocol):
    """Delivers one message within a few seconds."""

    def __call__(self, message: Message) -> None:
        """Deliver it; raises NotSent, PermanentlyRefused or Postponed."""


@dataclass(frozen=True)
class Way:
    """How a channel's messages leave, and after how many tries one has failed."""

    deliver: Deliver
    max_tries: int = MAX_TRIES


#: By channel.
WAYS: Registry[Way] = Registry("ways of messages")


def find(channel: str) -> Way:
    """The way of a channel's messages."""
    way = WAYS.get(channel)
    assert way, f"no app registers how {channel} leaves"
    return way


def send_text(message: Message) -> None:
    """Deliver a text message by the sender of the settings."""
    sms.sender().send(message.to, message.text)


def send_mail(message: Message) -> None:
    """Deliver an e-mail."""
    mail.send(message.to, message.subject, message.text)
