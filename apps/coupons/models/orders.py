"""The models of orders, returned stock, dead letters and reconciliation reports."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts.models import User
from apps.accounts.text_fields import LineField
from apps.coupons.models.catalog import FlashSale, Voucher
from apps.shops import money


class Status(models.TextChoices):
    """The status of an order; "queued" is an order that Redis accepted and that has no row in SQL yet."""

    QUEUED = "queued", _("queued")
    UNPAID = "unpaid", _("to pay")
    PAID = "paid", _("to use")
    USED = "used", _("used")
    CANCELLED = "cancelled", _("cancelled")
    REFUNDED = "refunded", _("refunded")

    @property
    def tone(self) -> str:
        """The colour name of the status's badge; "" for used and refunded."""
        tones = {"queued": "info", "unpaid": "wait", "paid": "good", "cancelled": "bad"}
        return tones.get(self.value, "")


#: The state graph: from -> to. Every change is one conditional UPDATE along an edge (orders.move).
ORDER_TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.QUEUED: frozenset({Status.UNPAID, Status.CANCELLED}),
    Status.UNPAID: frozenset({Status.PAID, Status.CANCELLED}),
    Status.PAID: frozenset({Status.USED, Status.REFUNDED}),
    Status.USED: frozenset(),
    Status.CANCELLED: frozenset(),
    Status.REFUNDED: frozenset(),
}


#: A person may have one order in these statuses per voucher and piece.
ACTIVE_STATUSES = (Status.UNPAID, Status.PAID, Status.USED)
#: Orders that somebody paid for and has not got back.
PAID_STATUSES = (Status.PAID, Status.USED)


class VoucherOrderQuerySet(models.QuerySet["VoucherOrder"]):
    def seen_by(self, user_id: int) -> Self:
        """Orders that a person bought, given away or not, and those that were given to them."""
        return self.filter(Q(user=user_id) | Q(holder=user_id))

    def active(self) -> Self:
        """Orders in ACTIVE_STATUSES: neither queued, cancelled nor refunded."""
        return self.filter(status__in=ACTIVE_STATUSES)

    def paid(self) -> Self:
        """Orders whose money is here: what is kept and what is outstanding, never what is refunded."""
        return self.filter(status__in=PAID_STATUSES)

    def kept(self) -> Self:
        """Orders whose money stays: the coupon was used."""
        return self.filter(status=Status.USED)

    def outstanding(self) -> Self:
        """Paid orders that are not used yet: the shop owes them, and their money may still go back."""
        return self.filter(status=Status.PAID)

    def refunded(self) -> Self:
        """Orders whose money went back, or is on its way back."""
        return self.filter(status=Status.REFUNDED)

    def paid_since(self, moment: datetime) -> Self:
        """Orders whose money came then or later, whatever became of it; the day of a sum is this one."""
        return self.filter(paid_at__gte=moment)

    def sum_prices(self) -> dict[str, int]:
        """What these orders cost together, in minor units, each currency by itself; one query."""
        return dict(self.order_by().values_list("currency").annotate(models.Sum("price")))

    def sum_prices_by_shop(self) -> dict[int, dict[str, int]]:
        """The same for each shop that has any of the given orders, by its id; one query."""
        sums: dict[int, dict[str, int]] = {}
        rows = self.order_by().values_list("voucher__shop", "currency").annotate(models.Sum("price"))
        for shop_id, currency, total in rows:
            sums.setdefault(shop_id, {})[currency] = total
        return sums

    def counted(self) -> Self:
        """Orders that sums and rankings count: those of a load test's people are left out."""
        return self.filter(user__is_made_for_load=False)

    def overdue(self, at: datetime | None = None) -> Self:
        """Unpaid orders whose payment deadline has passed at a time (default: now)."""
        return self.filter(status=Status.UNPAID, pay_deadline__lte=at or timezone.now())

    def expired(self, at: datetime | None = None) -> Self:
        """Paid and unused orders that were valid until a time (default: now) or earlier."""
        return self.filter(status=Status.PAID, valid_until__lte=at or timezone.now())

    def redeemable_by(self, user_id: int) -> Self:
        """Paid and unused orders, valid now, of a person who bought and kept them, or was given them."""
        is_own = Q(holder=user_id) | Q(user=user_id, holder=None)
        is_valid = Q(valid_until=None) | Q(valid_until__gt=timezone.now())
        return self.filter(is_own, is_valid, status=Status.PAID)


class VoucherOrder(models.Model):
    """One person's order of one voucher; the claim composes the id before the row exists."""

    id = models.BigIntegerField(_("number"), primary_key=True)
    #: The request token of the accepted claim: a repeated request gets the same order.
    token = models.CharField(max_length=64)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="orders",
        verbose_name=_("person"),
        db_index=False,
    )
    #: Which of the person's coupons of the voucher it is, from 0.
    piece = models.PositiveSmallIntegerField(_("piece"), default=0, db_default=0, editable=False)
    #: Who got the coupon as a gift and uses it; empty: its buyer. Who paid is always `user`.
    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="gifts",
        verbose_name=_("given to"),
        db_index=False,
    )
    voucher = models.ForeignKey(
        Voucher, models.PROTECT, related_name="orders", verbose_name=_("voucher"), db_index=False
    )
    status = models.CharField(_("status"), max_length=9, choices=Status, default=Status.UNPAID)
    price = models.PositiveIntegerField(_("price"))
    currency = models.CharField(max_length=3, default=money.site_currency)
    epoch = models.PositiveIntegerField(_("round"), default=0)
    accepted_at = models.DateTimeField(pgettext_lazy("time", "accepted"))
    created_at = models.DateTimeField(pgettext_lazy("moment", "recorded"), default=timezone.now)
    pay_deadline = models.DateTimeField(_("to be paid by"))
    paid_at = models.DateTimeField(pgettext_lazy("time", "paid"), null=True, blank=True)
    cancelled_at = models.DateTimeField(pgettext_lazy("time", "cancelled"), null=True, blank=True)
    used_at = models.DateTimeField(pgettext_lazy("time", "used"), null=True, blank=True)
    refunded_at = models.DateTimeField(pgettext_lazy("time", "refunded"), null=True, blank=True)
    #: Displayed as a QR code once the order is paid; too long to guess (orders.redeem_codes).
    redeem_code = models.CharField(max_length=24, unique=True)
    #: The voucher's when it was bought; a later date of the voucher reaches open orders too.
    valid_until = models.DateTimeField(_("valid until"), null=True, blank=True)

    objects = VoucherOrderQuerySet.as_manager()

    class Meta:
        verbose_name = _("order")
        verbose_name_plural = _("orders")
        permissions: ClassVar = [
            ("redeem_order", _("Can redeem coupons in the shop")),
            ("export_voucherorder", _("Can export orders, with people's phone numbers")),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "voucher", "piece"],
                condition=Q(status__in=ACTIVE_STATUSES),
                name="one_active_order_per_voucher",
            ),
            models.UniqueConstraint(fields=["user", "voucher", "token"], name="one_order_per_request"),
            models.CheckConstraint(
                condition=Q(status__in=[s for s in Status if s != Status.QUEUED]),
                name="order_status_is_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-id"]),
            models.Index(fields=["holder"], condition=Q(holder__isnull=False), name="orders_given_away"),
            models.Index(fields=["voucher", "status"]),
            models.Index(fields=["pay_deadline"], condition=Q(status="unpaid"), name="orders_to_be_paid"),
            models.Index(fields=["created_at"]),
            models.Index(fields=["paid_at"], condition=Q(paid_at__isnull=False), name="orders_by_payment"),
            models.Index(
                fields=["valid_until"],
                condition=Q(status="paid", valid_until__isnull=False),
                name="orders_to_expire",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk}"

    @property
    def has_lapsed(self) -> bool:
        """Whether the order was valid for a time that is over, used or not."""
        return self.valid_until is not None and self.valid_until <= timezone.now()

    @property
    def guest(self) -> User:
        """The person who uses the coupon: its buyer, or the receiver of the gift."""
        return self.holder or self.user

    @property
    def guest_id(self) -> int:
        return self.holder_id or self.user_id

    def get_absolute_url(self) -> str:
        return reverse("coupons:order", args=[self.pk])


class Gift(models.Model):
    """The one link that gives an order's coupon away, and when it was taken.

    `number` is random and part of the link, signed: a row alone doesn't give the link away. A link that is
    taken back is deleted. `words` are what the giver writes to the receiver.
    """

    MAX_WORDS_LENGTH = 200

    order = models.OneToOneField(
        VoucherOrder, models.CASCADE, primary_key=True, related_name="gift", verbose_name=_("order")
    )
    number = models.CharField(max_length=22, unique=True)
    created_at = models.DateTimeField(_("link made"), default=timezone.now)
    expires_at = models.DateTimeField(_("link ends"))
    taken_at = models.DateTimeField(_("taken"), null=True, blank=True)
    words = LineField(_("words"), max_length=MAX_WORDS_LENGTH, blank=True, default="", db_default="")

    class Meta:
        verbose_name = _("gift")
        verbose_name_plural = _("gifts")

    def __str__(self) -> str:
        return f"{self.order_id}"

    @property
    def is_open(self) -> bool:
        """Whether the link can still be taken, as far as the link itself goes."""
        return self.taken_at is None and self.expires_at > timezone.now()


class Redemption(models.Model):
    """Who redeemed an order in the shop, and by which request: the same one again gets the same answer."""

    order = models.OneToOneField(
        VoucherOrder,
        models.CASCADE,
        primary_key=True,
        related_name="redemption",
        verbose_name=_("order"),
    )
    cashier = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("who redeemed"),
        db_index=False,
    )
    token = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("redemption")
        verbose_name_plural = _("redemptions")
        indexes: ClassVar = [models.Index(fields=["cashier", "-created_at"], name="redemptions_of_cashier")]

    def __str__(self) -> str:
        return f"{self.order_id}"


class StockLedger(models.Model):
    """Stock that a cancelled or refunded order (`kind`) returned to its sale; at most one row per order."""

    class Kind(models.TextChoices):
        RETURN = "return", _("returned by a cancelled order")
        REFUND = "refund", _("returned by a refunded order")

    order = models.ForeignKey(
        VoucherOrder, models.PROTECT, related_name="ledger", verbose_name=_("order"), db_index=False
    )
    sale = models.ForeignKey(FlashSale, models.PROTECT, related_name="ledger", verbose_name=_("flash sale"))
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.RETURN)
    units = models.PositiveSmallIntegerField(_("count"), default=1)
    created_at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("stock movement")
        verbose_name_plural = _("stock movements")
        constraints: ClassVar = [models.UniqueConstraint(fields=["order"], name="one_return_per_order")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.order_id}"


class DeadLetter(models.Model):
    """An accepted order that could not become a row: its stream entry, the reason. Its unit was returned."""

    stream = models.CharField(_("stream"), max_length=100)
    entry_id = models.CharField(_("entry"), max_length=40)
    order_id = models.BigIntegerField(_("order"), null=True, db_index=True)
    fields: Any = models.JSONField()
    reason = models.CharField(_("reason"), max_length=500)
    deliveries = models.PositiveIntegerField(_("deliveries"))
    created_at = models.DateTimeField(_("set aside"), default=timezone.now)
    replayed_at = models.DateTimeField(_("replayed"), null=True, blank=True)

    class Meta:
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stream", "entry_id"], name="one_dead_letter_per_entry")
        ]

    def __str__(self) -> str:
        return f"{self.stream} {self.entry_id}"


class Reconciliation(models.Model):
    """The result of one `reconcile` run; the admin displays the newest."""

    ran_at = models.DateTimeField(_("ran"), default=timezone.now, db_index=True)
    sales = models.PositiveIntegerField(_("sales looked at"))
    payments = models.PositiveIntegerField(_("payments looked at"), default=0, db_default=0)
    violations: Any = models.JSONField(_("violations"), default=list)
    fixed = models.PositiveIntegerField(_("repaired"), default=0)
    seconds = models.FloatField(_("seconds"))

    class Meta:
        verbose_name = _("reconciliation")
        verbose_name_plural = _("reconciliations")

    def __str__(self) -> str:
        return f"{self.ran_at:%Y-%m-%d %H:%M} · {len(self.violations)}"


class WebProcess(models.Model):
    """A process that accepts claims; while it lives, `seen_at` is half a minute old at most."""

    name = models.CharField(max_length=300, primary_key=True)
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name
