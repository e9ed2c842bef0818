"""The interface of a payment provider, and the providers that the settings name."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

from django.conf import settings
from django.http import HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string
from django.utils.translation import gettext_noop

from apps.coupons.models.payments import AnyCharge, Charge, Payment
from apps.web.stored_texts import Template

#: Characters that PAYMENT_SECRET has at least.
MIN_SECRET_LENGTH = 32
#: The reference of a payment or a charge, which its provider repeats in notices.
REFERENCE_PATTERN = re.compile(r"[0-9a-f]{32}")

# Why a payment failed, as providers of ours say it; the admin reads them without importing providers.
DECLINED = Template(gettext_noop("declined in the sandbox"))
GIVEN_BACK = Template(gettext_noop("given back"))
CLOSED = Template(gettext_noop("closed without a payment, or given back"))
NO_MONEY = Template(gettext_noop("the bank took no money, or the time was over"))


class BadCallback(Exception):
    """A callback that is not believed; the message says why."""


class Forged(BadCallback):
    """Its signature is missing or isn't the provider's."""


class Stale(BadCallback):
    """It was signed too long ago and may be a replay."""


class Malformed(BadCallback):
    """The provider signed something that is no notice."""


class Unavailable(Exception):
    """The provider did not answer; the call may be repeated."""


class NotConfigured(Exception):
    """The settings name no usable provider; the message says what to set."""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """The outcome of a payment or a charge: `amount` in minor units, and the `reason` of a failure."""

    reference: str
    succeeded: bool
    amount: int
    currency: str
    reason: str = ""


class PaymentProvider(Protocol):
    """What settings.PAYMENT_PROVIDER names: an importable class without arguments."""

    #: In the path of its callbacks and in its payments' rows, for good; at most 20 characters.
    name: str
    #: Where its pages are, for the Content-Security-Policy: a form of ours redirects buyers there.
    form_action: Collection[str]

    def begin(self, charge: AnyCharge, return_url: str) -> str:
        """The URL to send the buyer to; for the same reference again the same payment. Raises Unavailable.

        A Charge of several orders comes only to a provider that is a ReturnsParts too.
        """

    def refund(self, payment: Payment) -> None:
        """Return the whole amount; for the same reference again nothing more. Raises Unavailable."""

    def query(self, reference: str) -> Notice | None:
        """The outcome of a payment, for callbacks get lost; None while it is undecided.

        Raises Unavailable, and Malformed for an answer that can't be read.
        """

    def verify(self, headers: Mapping[str, str], body: bytes) -> Notice | None:
        """The notice in a callback, None for one about something else; raises Forged, Stale or Malformed."""

    def acknowledge(self, state: str) -> HttpResponse:
        """The answer to a callback that was taken, as the provider wants it; the payment's state or ""."""


@runtime_checkable
class ReturnsParts(Protocol):
    """A provider that may take several orders at once: each gets its own money back, and no more.

    Without it every order is paid by itself.
    """

    def refund_part(self, charge: Charge, amount: int, key: str) -> None:
        """Return `amount` of a charge; for the same key again nothing more. Raises Unavailable."""


def takes_several() -> bool:
    """Whether several orders can be paid at once at the provider of new payments."""
    return hasattr(_load(settings.PAYMENT_PROVIDER), "refund_part")


def return_money(payment: Payment) -> None:
    """Return a payment's money at its provider, of a charge its part alone; nothing more when repeated.

    Raises Unavailable, NotConfigured and Malformed.
    """
    found = get_by_name(payment.provider)
    if payment.charge is None:
        found.refund(payment)
    elif isinstance(found, ReturnsParts):
        found.refund_part(payment.charge, payment.amount, payment.reference)
    else:
        # Its refund would return the other orders' money too.
        raise NotConfigured(f"{type(found).__qualname__} has no refund_part, and took several orders at once")


def get_configured() -> PaymentProvider:
    """The provider that new payments go to; raises NotConfigured."""
    return _load(settings.PAYMENT_PROVIDER)()


def get_by_name(name: str) -> PaymentProvider:
    """The provider of that name, of new payments or of earlier ones; raises NotConfigured without it."""
    for path in (settings.PAYMENT_PROVIDER, *settings.FORMER_PAYMENT_PROVIDERS):
        found = _load(path)
        if found.name == name:
            return found()
    raise NotConfigured(
        f"{name!r:.40} is neither PAYMENT_PROVIDER nor among FORMER_PAYMENT_PROVIDERS, and has payments here"
    )


def csp_sources() -> dict[str, list[str]]:
    """The pages to which forms may redirect buyers, by directive."""
    # A class from before there was this attribute has none.
    return {"form-action": list(getattr(_load(settings.PAYMENT_PROVIDER), "form_action", ()))}


def _load(path: str) -> type[PaymentProvider]:
    return cast(type[PaymentProvider], import_string(path))


def callback_secret() -> bytes:
    """The key that signs callbacks: PAYMENT_SECRET, or one derived from SECRET_KEY in the demo."""
    if len(settings.PAYMENT_SECRET) >= MIN_SECRET_LENGTH:
        return str(settings.PAYMENT_SECRET).encode()
    if settings.PAYMENT_SECRET or not is_demo():
        raise NotConfigured(
            f"set PAYMENT_SECRET to what the provider signs with, at least {MIN_SECRET_LENGTH} characters"
        )
    return salted_hmac("coupons.payments", "callbacks", algorithm="sha256").digest()


def is_demo() -> bool:
    """Whether the site runs with play money."""
    return bool(settings.DEMO or settings.DEBUG)
