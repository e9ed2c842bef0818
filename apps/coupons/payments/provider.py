"""The interface of a payment provider, and the providers that the settings name."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from django.conf import settings
from django.http import HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string

from apps.coupons.models.payments import Payment

#: Characters that PAYMENT_SECRET has at least.
MIN_SECRET_LENGTH = 32


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
    """The outcome of a payment: `amount` in minor units, and the `reason` of a failure."""

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

    def begin(self, payment: Payment, return_url: str) -> str:
        """The URL to send the buyer to; for the same reference again the same payment. Raises Unavailable."""

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
