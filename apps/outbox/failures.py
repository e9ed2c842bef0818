"""Exceptions of senders for messages that did not go out, and what they say.

The texts stand here, since the admin reads them in processes that import no sender.
"""

from datetime import datetime

from django.utils.translation import gettext_noop

from apps.web.stored_texts import Template

NO_ANSWER = Template(gettext_noop("the provider did not answer in time"))
NO_NUMBER = Template(gettext_noop("the phone of this person is no number"))
NO_TEXT = Template(gettext_noop("SMS_HTTP_BODY has no {text}: it sends log-in codes alone"))
BROKEN = Template(gettext_noop("the gateway gave %(error)s"))
REFUSED = Template(gettext_noop("the gateway answered %(status)s: %(answer)s"))
DEMO_ONLY = Template(gettext_noop("ConsoleSender is for DEMO=1: set SMS_SENDER to a sender of your provider"))


class NotSent(Exception):
    """The provider refused or did not answer; a later try may succeed."""


class PermanentlyRefused(NotSent):
    """The provider will never take this message: no such number or address."""


class Postponed(Exception):  # noqa: N818 - says what it is
    """The message was not tried: its receiver is busy or rests until a time. It counts as no try."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"waits until {until:%H:%M:%S}")
        self.until = until
