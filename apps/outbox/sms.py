"""Sends text messages by the sender that settings.SMS_SENDER names."""

import logging
from typing import Protocol, cast, runtime_checkable

from django.conf import settings
from django.utils.module_loading import import_string

from apps.metrics import redaction
from apps.outbox import failures
from apps.outbox.failures import NotSent as NotSent

logger = logging.getLogger(__name__)


class Sender(Protocol):
    """The interface of settings.SMS_SENDER: an importable class without arguments."""

    def send(self, phone: str, text: str) -> None:
        """Deliver a text to an E.164 number within a few seconds; NotSent, or PermanentlyRefused."""


@runtime_checkable
class CodeSender(Protocol):
    """A Sender that can also send a log-in code alone, for gateways with texts of their own."""

    def send_code(self, phone: str, text: str, code: str) -> None:
        """Deliver a code, or the text that has it; NotSent, or PermanentlyRefused."""


class ConsoleSender:
    """Writes messages to the log, codes masked; for the demo only, whose pages show the codes."""

    def send(self, phone: str, text: str) -> None:
        if not (settings.DEMO or settings.DEBUG):
            raise NotSent(failures.DEMO_ONLY.fill())
        logger.warning("message to %s: %s", phone, text)


def sender() -> Sender:
    """The configured sender."""
    return cast(Sender, import_string(settings.SMS_SENDER)())


def send_code(phone: str, text: str, code: str) -> None:
    """Send a log-in code by the configured sender; `text` has the code in it. Raises NotSent.

    No line of a log and no report of an error has the code, whatever the sender logs or raises.
    """
    configured = sender()
    with redaction.hiding(code):
        try:
            if isinstance(configured, CodeSender):
                configured.send_code(phone, text, code)
            else:
                configured.send(phone, text)
        except Exception as error:
            raise _without_secrets(error).with_traceback(error.__traceback__) from None


def _without_secrets(error: Exception) -> NotSent:
    """The error as its caller may log it. A sender may fail in other ways than it promises, too."""
    if isinstance(error, NotSent):
        kind = failures.PermanentlyRefused if isinstance(error, failures.PermanentlyRefused) else NotSent
        return kind(redaction.redact(str(error)))
    return NotSent(redaction.redact(f"{type(error).__name__}: {error}"))
