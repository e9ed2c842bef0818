"""The models of payments and of the sandbox bank's charges."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class PaymentState(models.TextChoices):
    """The state of a payment at its provider; `settled_at` says whether the order has been updated for it."""

    BEGUN = "begun", _("begun")
    EXPIRED = "expired", _("expired")
    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")
    REFUNDING = "refunding", _("refunding")
    REFUNDED = "refunded", _("money returned")


#: The state graph: from -> to. Every change is one conditional UPDATE along an edge (states.move).
#: A bank may report success after a failure or after the payment expired: that money must not be lost.
PAYMENT_TRANSITIONS: dict[PaymentState, frozenset[PaymentState]] = {
    PaymentState.BEGUN: frozenset({PaymentState.SUCCEEDED, PaymentState.FAILED, PaymentState.EXPIRED}),
    PaymentState.EXPIRED: frozenset({PaymentState.SUCCEEDED, PaymentState.FAILED}),
    PaymentState.FAILED: frozenset({PaymentState.SUCCEEDED}),
    PaymentState.SUCCEEDED: frozenset({PaymentState.REFUNDING}),
    PaymentState.REFUNDING: frozenset({PaymentState.REFUNDED}),
    PaymentState.REFUNDED: frozenset(),
}
#: States in which the provider has not reported a result yet.
UNDECIDED_STATES = (PaymentState.BEGUN, PaymentState.EXPIRED)
#: A payment without a result expires after this time: its order can then be paid with a new one.
PAYMENT_LIFETIME = timedelta(minutes=5)


class PaymentQuerySet(models.QuerySet["Payment"]):
    def newest(self, order_ids: Iterable[int]) -> dict[int, "Payment"]:
        """The newest payment of each order, by order id, without the orders that have none; one query."""
        return {payment.order_id: payment for payment in self.filter(order_id__in=order_ids).order_by("id")}

    def charged_with(self, payment: "Payment") -> Self:
        """The payments that the provider knows as one with this one, itself among them."""
        return self.filter(charge=payment.charge_id) if payment.charge_id else self.filter(pk=payment.pk)

    def undecided(self) -> Self:
        """Payments in UNDECIDED_STATES."""
        return self.filter(state__in=UNDECIDED_STATES)

    def over(self, at: datetime | None = None) -> Self:
        """Undecided payments older than PAYMENT_LIFETIME."""
        return self.undecided().filter(begun_at__lte=(at or timezone.now()) - PAYMENT_LIFETIME)

    def holding(self) -> Self:
        """Payments whose money arrived and was given to an order, neither waiting nor being refunded."""
        return self.filter(state=PaymentState.SUCCEEDED, settled_at__isnull=False)

    def returned(self) -> Self:
        """Payments whose money went back, or is on its way back."""
        return self.filter(state__in=(PaymentState.REFUNDING, PaymentState.REFUNDED))

    def sum_amounts(self) -> dict[str, int]:
        """What these payments are together, in minor units by currency; one query."""
        return dict(self.order_by().values_list("currency").annotate(models.Sum("amount")))

    def due(self, at: datetime | None = None) -> Self:
        """Payments that the sweep has to check at a time (default: now), the longest due first."""
        return self.filter(due_at__lte=at or timezone.now()).order_by("due_at")


class Charge(models.Model):
    """One payment at the provider for several orders: what the provider knows of it.

    Each order has a payment of its own amount here, and they add up to the charge's. A payment of one order
    alone has no charge: the provider knows that itself.
    """

    provider = models.CharField(_("provider"), max_length=20)
    #: Its identifier here and at the provider; too long to guess, and no payment's.
    reference = models.CharField(_("reference"), max_length=32, unique=True)
    #: What the provider calls it. Its payments leave theirs empty: a release that knows no charges would
    #: return all of it for one order.
    provider_reference = models.CharField(_("reference at the provider"), max_length=255, blank=True)
    subject = models.CharField(_("for"), max_length=160)
    amount = models.PositiveBigIntegerField(_("amount"), help_text=_("in minor units"))
    currency = models.CharField(max_length=3)
    begun_at = models.DateTimeField(pgettext_lazy("moment", "begun"), default=timezone.now)

    class Meta:
        verbose_name = _("joint payment")
        verbose_name_plural = _("joint payments")

    def __str__(self) -> str:
        return self.reference


class Payment(models.Model):
    """One attempt to pay an order; without a foreign key, as a callback may come before the order's row."""

    order_id = models.BigIntegerField(_("order"), db_index=True)
    #: With other orders' payments in one payment at the provider; empty: the provider knows this one.
    charge = models.ForeignKey(
        Charge,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="payments",
        verbose_name=_("joint payment"),
        db_index=False,
    )
    provider = models.CharField(_("provider"), max_length=20)
    #: The payment's identifier here and, without a charge, at the provider; too long to guess.
    reference = models.CharField(_("reference"), max_length=32, unique=True)
    #: What the provider calls the payment, where it has a name of its own for it.
    provider_reference = models.CharField(_("reference at the provider"), max_length=255, blank=True)
    #: The description of the purchase that the provider displays to the buyer.
    subject = models.CharField(_("for"), max_length=160)
    amount = models.PositiveIntegerField(_("amount"), help_text=_("in minor units"))
    currency = models.CharField(max_length=3)
    state = models.CharField(_("state"), max_length=9, choices=PaymentState, default=PaymentState.BEGUN)
    #: Why the payment failed, or why its money is refunded without a request.
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    #: Why a callback with a valid signature was refused; staff should look at it.
    trouble = models.CharField(_("trouble"), max_length=200, blank=True)
    begun_at = models.DateTimeField(pgettext_lazy("moment", "begun"), default=timezone.now)
    #: When the buyer's browser came back from the provider, which proves nothing.
    returned_at = models.DateTimeField(_("buyer came back"), null=True, blank=True)
    finished_at = models.DateTimeField(_("succeeded or failed"), null=True, blank=True)
    #: When the money was given to the order or sent back; until then a succeeded payment waits for its order.
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    refund_asked_at = models.DateTimeField(_("refund asked for"), null=True, blank=True)
    refunded_at = models.DateTimeField(pgettext_lazy("moment", "money returned"), null=True, blank=True)
    #: When the sweep checks the payment next, and how often it has tried a refund.
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
            models.Index(fields=["charge"], condition=Q(charge__isnull=False), name="payments_of_charges"),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def charged(self) -> "AnyCharge":
        """What the provider knows of it: the charge that it is a part of, or itself."""
        return self.charge or self

    @property
    def is_going_back(self) -> bool:
        """Whether its money is on its way back; once it has arrived, it is not."""
        return self.state == PaymentState.REFUNDING

    @property
    def ends_at(self) -> datetime:
        """The time at which the payment expires unless the provider has reported a result by then."""
        return self.begun_at + PAYMENT_LIFETIME


#: What a provider is asked to take, return and report: the payment of one order, or the charge of several.
AnyCharge = Payment | Charge


class SandboxCharge(models.Model):
    """A charge in the sandbox bank's own records: the request and the result. The bank reads no Payment."""

    class State(models.TextChoices):
        OPEN = "open"
        PAID = "paid"
        DECLINED = "declined"
        REFUNDED = "refunded"

    reference = models.CharField(max_length=32, primary_key=True)
    subject = models.CharField(max_length=160)
    amount = models.PositiveBigIntegerField()
    currency = models.CharField(max_length=3)
    return_url = models.CharField(max_length=500)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    opened_at = models.DateTimeField(default=timezone.now)
    #: How often the shop requested a refund; the bank refunds once.
    refunds_asked = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.reference


class SandboxRefund(models.Model):
    """A part of a charge that the sandbox bank has returned, by the shop's name for it."""

    charge = models.ForeignKey(SandboxCharge, models.CASCADE, related_name="refunds")
    key = models.CharField(max_length=32, unique=True)
    amount = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return self.key
