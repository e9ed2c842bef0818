"""The models of vouchers, flash sales and sale reminders."""

from typing import ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.files import RowPictureField
from apps.shops import money
from apps.shops.models import Shop
from apps.web import in_language, object_urls
from apps.web.in_language import InLanguage

#: Of one voucher, for one person.
MAX_PER_PERSON = 20
#: Check-ins in a row that a sale may ask for.
MAX_STREAK_DAYS = 90


class VoucherQuerySet(models.QuerySet["Voucher"]):
    def offered(self) -> Self:
        """Vouchers marked as offered whose shop is listed."""
        return self.filter(is_offered=True, shop__is_listed=True)

    def to_publish(self) -> Self:
        """Vouchers whose time to be offered has come; they are offered with the next request."""
        return self.filter(is_offered=False, publish_at__lte=timezone.now())

    def to_withdraw(self) -> Self:
        """Vouchers that are offered and can't be used any more."""
        return self.filter(is_offered=True, valid_until__lte=timezone.now())


class Voucher(models.Model):
    """A shop's voucher: the buyer pays `price`, spends `value`. A flash sale also has a FlashSale row."""

    shop = models.ForeignKey(Shop, models.PROTECT, related_name="vouchers", verbose_name=_("shop"))
    title_en = models.CharField(_("title, in English"), max_length=80, blank=True)
    title_zh = models.CharField(_("title, in Chinese"), max_length=80, blank=True)
    subtitle_en = models.CharField(_("subtitle, in English"), max_length=120, blank=True)
    subtitle_zh = models.CharField(_("subtitle, in Chinese"), max_length=120, blank=True)
    rules_en = models.TextField(_("rules of use, in English"), max_length=2000, blank=True)
    rules_zh = models.TextField(_("rules of use, in Chinese"), max_length=2000, blank=True)
    price = models.PositiveIntegerField(_("price"), help_text=_("what the buyer pays, in minor units"))
    value = models.PositiveIntegerField(
        _("value"), help_text=_("what it is worth at the shop, in minor units")
    )
    currency = models.CharField(max_length=3, default=money.site_currency)
    per_person = models.PositiveSmallIntegerField(
        _("for each person"),
        default=1,
        db_default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_PER_PERSON)],
        help_text=_("How many one person may have, used ones too."),
    )
    valid_until = models.DateTimeField(
        _("valid until"),
        null=True,
        blank=True,
        help_text=_("Who paid and did not use it by then gets the money back. Empty: it never expires."),
    )
    is_offered = models.BooleanField(_("offered"), default=True)
    #: Set while the voucher waits to be offered; catalog.voucher_dates offers it and empties this.
    publish_at = models.DateTimeField(
        _("offered from"),
        null=True,
        blank=True,
        help_text=_("Until then only staff sees it. Empty: it is offered, or not, as marked."),
    )
    #: Null beside "", so that processes of the release before can write rows while the site is upgraded.
    picture = RowPictureField(_("picture"), upload_to="vouchers/", blank=True, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    title, subtitle, rules = InLanguage("title"), InLanguage("subtitle"), InLanguage("rules")

    objects = VoucherQuerySet.as_manager()

    class Meta:
        verbose_name = _("voucher")
        verbose_name_plural = _("vouchers")
        permissions: ClassVar = [("export_voucher", _("Can export vouchers"))]
        indexes: ClassVar = [
            models.Index(
                fields=["publish_at"], condition=Q(publish_at__isnull=False), name="vouchers_to_publish"
            ),
            models.Index(
                fields=["valid_until"],
                condition=Q(is_offered=True, valid_until__isnull=False),
                name="vouchers_to_withdraw",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        in_language.require_either(self, ("title",))

    @property
    def picture_url(self) -> str:
        """Its own picture, or ""."""
        return self.picture.url if self.picture else ""

    @property
    def cover_url(self) -> str:
        """The picture of cards: its own, or the shop's."""
        own = self.picture_url
        return files.address(own, uploads.CARD_PIXELS) if own else self.shop.cover_url

    @property
    def thumbnail_url(self) -> str:
        """The picture of rows: its own, or the shop's."""
        own = self.picture_url
        return files.address(own, uploads.ROW_PIXELS) if own else self.shop.thumbnail_url

    @property
    def lead_url(self) -> str:
        """The picture of its page: its own, or the shop's."""
        return self.picture_url or self.shop.lead_url

    @property
    def lead_srcset(self) -> str:
        """The picture of its page as a card and whole, for `srcset`; "" for a drawing of any size."""
        whole, card = self.lead_url, self.cover_url
        return "" if whole == card else f"{card} {uploads.CARD_PIXELS}w, {whole} {uploads.LARGE_PIXELS}w"

    @property
    def preview_url(self) -> str:
        """The picture that previews of links show."""
        return self.picture_url or self.shop.preview_url

    @property
    def has_expired(self) -> bool:
        """Whether it can't be used any more."""
        return self.valid_until is not None and self.valid_until <= timezone.now()

    def get_absolute_url(self) -> str:
        return object_urls.build("coupons:sale", self.pk)


class FlashSaleQuerySet(models.QuerySet["FlashSale"]):
    def offered(self) -> Self:
        """Sales whose voucher is offered by a listed shop; those of load tests also in a hidden one."""
        in_sight = Q(voucher__shop__is_listed=True) | Q(is_made_for_load=True)
        return self.filter(in_sight, voucher__is_offered=True)


class FlashSale(models.Model):
    """A voucher on sale in a limited number and for a limited time.

    `stock_left` is SQL's count (total less active orders) and is authoritative; Redis decides the claims.
    `epoch` rises with each load into Redis, `revision` with each edit of stock or window. `lost_at` is when
    Redis was last found to have lost the sale. `id_second` is the second (redis_kit.ids) of the order ids at
    its last load: a server that has forgotten begins later.
    """

    voucher = models.OneToOneField(
        Voucher, models.PROTECT, primary_key=True, related_name="sale", verbose_name=_("voucher")
    )
    stock_total = models.PositiveIntegerField(_("units"))
    stock_left = models.PositiveIntegerField(_("units left"), editable=False)
    begins_at = models.DateTimeField(_("begins"), db_index=True)
    ends_at = models.DateTimeField(_("ends"), db_index=True)
    streak_days = models.PositiveSmallIntegerField(
        _("check-ins in a row"),
        default=0,
        db_default=0,
        validators=[MaxValueValidator(MAX_STREAK_DAYS)],
        help_text=_("Only who has checked in on so many days in a row can grab. 0: everybody."),
    )
    epoch = models.PositiveIntegerField(default=0, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)
    lost_at = models.DateTimeField(null=True, editable=False)
    id_second = models.PositiveIntegerField(default=0, editable=False)
    #: A load test made this sale (manage.py create_sale).
    is_made_for_load = models.BooleanField(default=False, db_default=False, editable=False)

    objects = FlashSaleQuerySet.as_manager()

    class Meta:
        verbose_name = _("flash sale")
        verbose_name_plural = _("flash sales")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(begins_at__lt=F("ends_at")), name="sale_begins_before_it_ends"
            ),
            models.CheckConstraint(
                condition=Q(stock_left__lte=F("stock_total")), name="sale_left_within_total"
            ),
            models.CheckConstraint(condition=Q(stock_left__gte=0), name="sale_never_oversold"),
        ]

    def __str__(self) -> str:
        return str(self.voucher)

    @property
    def is_offered(self) -> bool:
        """Whether claims may be accepted in its window, as FlashSaleQuerySet.offered."""
        return self.voucher.is_offered and (self.is_made_for_load or self.voucher.shop.is_listed)


class ReminderQuerySet(models.QuerySet["Reminder"]):
    def untold(self) -> Self:
        """Reminders not yet sent for the sale's current `begins_at`."""
        return self.filter(Q(told_for=None) | ~Q(told_for=F("sale__begins_at")))


class Reminder(models.Model):
    """A person's request to be notified before a sale begins; `told_for` is the `begins_at` last notified."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="reminders")
    sale = models.ForeignKey(FlashSale, models.CASCADE, related_name="reminders", db_index=False)
    told_for = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = ReminderQuerySet.as_manager()

    class Meta:
        verbose_name = _("sale reminder")
        verbose_name_plural = _("sale reminders")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["sale", "user"], name="one_reminder_per_sale")
        ]

    def __str__(self) -> str:
        return f"{self.sale_id} · {self.user_id}"
