import logging
from typing import Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string

from apps.outbox.failures import NotSent as NotSent

logger = logging.getLogger(__name__)


class Sender(Protocol):
    """What settings.SMS_SENDER names: an importable class without arguments."""

    def send(self, phone: str, text: str) -> None:
        """Deliver a text to an E.164 number within a few seconds, or raise NotSent (Refused: for good)."""


class ConsoleSender:
    """Writes the message to the log, in the demo only: a code in a log is a key under the mat."""

    def send(self, phone: str, text: str) -> None:
        if not (settings.DEMO or settings.DEBUG):
            raise NotSent("ConsoleSender is for DEMO=1: set SMS_SENDER to a sender of your provider")
        logger.warning("message to %s: %s", phone, text)


def sender() -> Sender:
    """The configured sender."""
    return cast(Sender, import_string(settings.SMS_SENDER)())
