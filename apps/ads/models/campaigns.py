"""Advertisers and their campaigns: who pays, how much, for what and when."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.web import in_language
from apps.web.in_language import InLanguage

#: A whole unit of the site's currency in micros: the unit of all money of ads.
MICROS = 1_000_000
#: A budget of a thousand million units; far below 2^53, so that Lua's numbers hold it exactly.
MAX_MICROS = 1_000_000_000 * MICROS
#: A CPM price is for so many views.
CPM_VIEWS = 1_000


class Advertiser(models.Model):
    """Who pays for ads; `members` are the accounts that see its campaigns and whose own clicks are free."""

    name_en = models.CharField(_("English name"), max_length=80, blank=True)
    name_zh = models.CharField(_("Chinese name"), max_length=80, blank=True)
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="advertisers", blank=True, verbose_name=_("members")
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    name = InLanguage("name")

    class Meta:
        verbose_name = _("advertiser")
        verbose_name_plural = _("advertisers")
        permissions: ClassVar = [
            ("see_all_advertisers", _("Can see the campaigns and ads of all advertisers"))
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        in_language.require_either(self, ("name",))


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def running(self, at: datetime) -> Self:
        """Campaigns that are switched on and within their dates."""
        return self.filter(Q(ends_at=None) | Q(ends_at__gt=at), is_on=True, begins_at__lte=at)

    def unfinished(self, at: datetime) -> Self:
        """Campaigns that are switched on and have not ended, begun or not."""
        return self.filter(Q(ends_at=None) | Q(ends_at__gt=at), is_on=True)


class Campaign(models.Model):
    """A budget for ads, spent by views (CPM), clicks (CPC) or actions (CPA). All money in micros.

    Write campaigns with the verbs of ads.changes, which tell Redis. `charged_micros` is the sum of the billed
    charges; `revision` rises with each edit.
    """

    class Pricing(models.TextChoices):
        CPC = "cpc", _("per click (CPC)")
        CPA = "cpa", _("per action (CPA)")
        CPM = "cpm", _("per thousand views (CPM)")

    advertiser = models.ForeignKey(
        Advertiser, models.PROTECT, related_name="campaigns", verbose_name=_("advertiser")
    )
    name = models.CharField(_("name"), max_length=80)
    pricing = models.CharField(_("pays"), max_length=3, choices=Pricing.choices, default=Pricing.CPC)
    price_micros = models.BigIntegerField(
        _("price"), validators=[MinValueValidator(1), MaxValueValidator(MAX_MICROS)]
    )
    budget_micros = models.BigIntegerField(
        _("budget"), validators=[MinValueValidator(0), MaxValueValidator(MAX_MICROS)]
    )
    daily_cap_micros = models.BigIntegerField(
        _("most a day"),
        default=0,
        help_text=_("0: no limit a day"),
        validators=[MinValueValidator(0), MaxValueValidator(MAX_MICROS)],
    )
    views_per_person = models.PositiveSmallIntegerField(
        _("views a person and day"), default=20, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    begins_at = models.DateTimeField(_("begins"), default=timezone.now)
    ends_at = models.DateTimeField(_("ends"), null=True, blank=True)
    is_on = models.BooleanField(_("on"), default=True)
    charged_micros = models.BigIntegerField(_("charged"), default=0, editable=False)
    revision = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(price_micros__gt=0), name="campaign_has_a_price"),
            models.CheckConstraint(
                condition=Q(ends_at=None) | Q(begins_at__lt=F("ends_at")),
                name="campaign_begins_before_it_ends",
            ),
            models.CheckConstraint(
                condition=Q(charged_micros__gte=0, charged_micros__lte=F("budget_micros")),
                name="campaign_within_its_budget",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.pricing == self.Pricing.CPM and (self.price_micros or 0) % CPM_VIEWS:
            raise ValidationError(
                {"price_micros": _("A price per thousand views must be a multiple of 1,000 micros.")}
            )
        if None not in (self.price_micros, self.budget_micros) and self.budget_micros < self.cost_micros:
            raise ValidationError(
                {"budget_micros": _("The budget must pay for at least one view, click or action.")}
            )
        if self.ends_at and self.begins_at and self.ends_at <= self.begins_at:
            raise ValidationError({"ends_at": _("The end must come after the beginning.")})

    @property
    def is_unfinished(self) -> bool:
        """Whether it is on, not over, and has the money for one more view, click or action."""
        has_money = self.charged_micros + self.cost_micros <= self.budget_micros
        return self.is_on and has_money and not (self.ends_at and self.ends_at <= timezone.now())

    @property
    def cost_micros(self) -> int:
        """What one view, click or action that is charged costs."""
        return self.price_micros // CPM_VIEWS if self.pricing == self.Pricing.CPM else self.price_micros
