from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class PaymentState(models.TextChoices):
    """Where a payment stands with its provider; what it did to the order is `settled_at`."""

    BEGUN = "begun", _("begun")
    EXPIRED = "expired", _("expired")
    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")
    REFUNDING = "refunding", _("refunding")
    REFUNDED = "refunded", _("money returned")


#: The state graph: from -> to. Every change is one conditional UPDATE along an edge (states.move).
#: A bank that said no, or nothing for too long, may say yes after all: that money must not be lost.
PAYMENT_TRANSITIONS: dict[PaymentState, frozenset[PaymentState]] = {
    PaymentState.BEGUN: frozenset({PaymentState.SUCCEEDED, PaymentState.FAILED, PaymentState.EXPIRED}),
    PaymentState.EXPIRED: frozenset({PaymentState.SUCCEEDED, PaymentState.FAILED}),
    PaymentState.FAILED: frozenset({PaymentState.SUCCEEDED}),
    PaymentState.SUCCEEDED: frozenset({PaymentState.REFUNDING}),
    PaymentState.REFUNDING: frozenset({PaymentState.REFUNDED}),
    PaymentState.REFUNDED: frozenset(),
}
#: The provider hasn't said what became of these.
UNDECIDED_STATES = (PaymentState.BEGUN, PaymentState.EXPIRED)
#: A payment that was begun so long ago and has no end expires: its order can be paid anew.
PAYMENT_LIFETIME = timedelta(minutes=5)


class PaymentQuerySet(models.QuerySet["Payment"]):
    def newest(self, order_ids: Iterable[int]) -> dict[int, "Payment"]:
        """The last attempt to pay each order, by the order's id; one query."""
        return {payment.order_id: payment for payment in self.filter(order_id__in=order_ids).order_by("id")}

    def undecided(self) -> Self:
        return self.filter(state__in=UNDECIDED_STATES)

    def over(self, at: datetime | None = None) -> Self:
        """Undecided, and their time is over."""
        return self.undecided().filter(begun_at__lte=(at or timezone.now()) - PAYMENT_LIFETIME)

    def holding(self) -> Self:
        """Whose money is here and was given to an order: it neither waits nor is it on its way back."""
        return self.filter(state=PaymentState.SUCCEEDED, settled_at__isnull=False)

    def due(self, at: datetime | None = None) -> Self:
        return self.filter(due_at__lte=at or timezone.now()).order_by("due_at")


class Payment(models.Model):
    """One attempt to pay an order. No foreign key: a callback may come before the order's row exists."""

    order_id = models.BigIntegerField(_("order"), db_index=True)
    provider = models.CharField(_("provider"), max_length=20)
    #: What we and the provider call it; long enough not to be guessed.
    reference = models.CharField(_("reference"), max_length=32, unique=True)
    #: What the provider tells the buyer they pay for.
    subject = models.CharField(_("for"), max_length=160)
    amount = models.PositiveIntegerField(_("amount"), help_text=_("in minor units (fen)"))
    currency = models.CharField(max_length=3)
    state = models.CharField(_("state"), max_length=9, choices=PaymentState, default=PaymentState.BEGUN)
    #: Why it failed, or why its money goes back though nobody asked for a refund.
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    #: A callback that was refused though its signature is good: for people to look at.
    trouble = models.CharField(_("trouble"), max_length=200, blank=True)
    begun_at = models.DateTimeField(_("begun"), default=timezone.now)
    #: When the buyer's browser came back from the provider, which proves nothing.
    returned_at = models.DateTimeField(_("buyer came back"), null=True, blank=True)
    finished_at = models.DateTimeField(_("succeeded or failed"), null=True, blank=True)
    #: When its money was given to the order or sent back; a succeeded payment waits for its order until then.
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    refund_asked_at = models.DateTimeField(_("refund asked for"), null=True, blank=True)
    refunded_at = models.DateTimeField(_("money returned"), null=True, blank=True)
    #: When the sweep looks at it next, and how often a refund was tried.
    due_at = models.DateTimeField(_("looked at next"), null=True, blank=True)
    tries = models.PositiveSmallIntegerField(_("tries"), default=0)

    objects = PaymentQuerySet.as_manager()

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["order_id"], condition=Q(state="begun"), name="one_begun_payment_per_order"
            ),
            models.CheckConstraint(condition=Q(state__in=list(PaymentState)), name="payment_state_is_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="payments_due"),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def ends_at(self) -> datetime:
        """When it expires, unless the provider has decided by then."""
        return self.begun_at + PAYMENT_LIFETIME


class SandboxCharge(models.Model):
    """The sandbox bank's own book: what it was asked to take, and what it did. It never reads ours."""

    class State(models.TextChoices):
        OPEN = "open"
        PAID = "paid"
        DECLINED = "declined"
        REFUNDED = "refunded"

    reference = models.CharField(max_length=32, primary_key=True)
    subject = models.CharField(max_length=160)
    amount = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    return_url = models.CharField(max_length=500)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    opened_at = models.DateTimeField(default=timezone.now)
    #: How often the shop asked for its money to be returned; the bank does it once.
    refunds_asked = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.reference
