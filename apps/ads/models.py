"""Advertisers with their campaigns, ads with places and words, and what they did: counts by day, charges."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.ads import targeting
from apps.shops.models import Shop
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


class Ad(models.Model):
    """An ad: texts in both languages, a picture, and a link or a shop; written by the verbs of ads.changes.

    `views`, `clicks`, `actions` and `invalid` are saved from Redis within seconds. `revision` rises with each
    edit.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="ads", verbose_name=_("campaign"))
    title_en = models.CharField(_("title, in English"), max_length=60, blank=True)
    title_zh = models.CharField(_("title, in Chinese"), max_length=60, blank=True)
    text_en = models.CharField(_("text, in English"), max_length=140, blank=True)
    text_zh = models.CharField(_("text, in Chinese"), max_length=140, blank=True)
    picture = models.ImageField(_("picture"), upload_to="ads/", blank=True)
    shop = models.ForeignKey(
        Shop, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("shop")
    )
    link = models.CharField(
        _("link"), max_length=200, blank=True, help_text=_("A path of this site or an https address.")
    )
    is_on = models.BooleanField(_("on"), default=True)
    views = models.PositiveBigIntegerField(_("views"), default=0, editable=False)
    clicks = models.PositiveBigIntegerField(_("clicks"), default=0, editable=False)
    actions = models.PositiveBigIntegerField(_("actions"), default=0, editable=False)
    invalid = models.PositiveBigIntegerField(_("invalid"), default=0, editable=False)
    revision = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    title, text = InLanguage("title"), InLanguage("text")

    class Meta:
        verbose_name = _("ad")
        verbose_name_plural = _("ads")

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        in_language.require_either(self, ("title",))
        if not self.link and not self.shop_id:
            raise ValidationError(_("Give a shop or a link."))
        if self.link and not (self.link.startswith("https://") or is_site_path(self.link)):
            raise ValidationError({"link": _("Write a path such as /shops/7/, or an https address.")})

    @property
    def target_url(self) -> str:
        """Where a click leads."""
        return self.link or (self.shop.get_absolute_url() if self.shop else "/")

    @property
    def picture_url(self) -> str:
        """The ad's picture, else its shop's; "" without both."""
        return self.picture.url if self.picture else (self.shop.cover_url if self.shop else "")


def is_site_path(link: str) -> bool:
    """Whether a link is a path of this site: "//host" and "/\\host" lead elsewhere."""
    return link.startswith("/") and link[1:2] not in {"/", "\\"}


class AdLocation(models.Model):
    """A place where an ad may appear: a city, an area of a city, or everywhere (both empty)."""

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="locations", db_index=False)
    city = models.CharField(_("city"), max_length=50, blank=True)
    area = models.CharField(_("area"), max_length=80, blank=True)

    class Meta:
        verbose_name = _("place of an ad")
        verbose_name_plural = _("places of ads")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ad", "city", "area"], name="ad_once_a_place")
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """The name of the place in Redis, as targeting.location_key makes it."""
        return targeting.location_key(self.city, self.area)


class AdWord(models.Model):
    """A content word of an ad, normalised by targeting.normalize_word, and what followed from its matches."""

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="words", db_index=False)
    word = models.CharField(_("word"), max_length=targeting.MAX_WORD_LENGTH)
    views = models.PositiveBigIntegerField(_("views"), default=0, editable=False)
    clicks = models.PositiveBigIntegerField(_("clicks"), default=0, editable=False)
    actions = models.PositiveBigIntegerField(_("actions"), default=0, editable=False)

    class Meta:
        verbose_name = _("word of an ad")
        verbose_name_plural = _("words of ads")
        constraints: ClassVar = [models.UniqueConstraint(fields=["ad", "word"], name="ad_once_a_word")]

    def __str__(self) -> str:
        return self.word

    def clean(self) -> None:
        self.word = targeting.normalize_word(self.word)
        if not self.word:
            raise ValidationError({"word": _("Write a word.")})


class DailyCount(models.Model):
    """What happened to an ad on a day of the site's time zone; saved from Redis within seconds.

    `served` pages got the ad, `views` were seen, `invalid` events counted nothing and cost nothing.
    """

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="days", db_index=False)
    day = models.DateField(_("day"))
    served = models.PositiveBigIntegerField(_("served"), default=0)
    views = models.PositiveBigIntegerField(_("views"), default=0)
    clicks = models.PositiveBigIntegerField(_("clicks"), default=0)
    actions = models.PositiveBigIntegerField(_("actions"), default=0)
    invalid = models.PositiveBigIntegerField(_("invalid"), default=0)
    spent_micros = models.BigIntegerField(_("spent"), default=0)

    class Meta:
        verbose_name = _("count of a day")
        verbose_name_plural = _("counts by day")
        constraints: ClassVar = [models.UniqueConstraint(fields=["ad", "day"], name="ad_counted_once_a_day")]
        indexes: ClassVar = [models.Index(fields=["day"], name="ad_counts_of_day")]

    def __str__(self) -> str:
        return f"{self.ad_id} · {self.day}"


class Charge(models.Model):
    """One view, click or action that was paid. `is_billed` is False where SQL found the budget spent.

    `stream_ms` and `stream_number` are the parts of its entry's id in the stream of charges, which only rise.
    """

    class Kind(models.TextChoices):
        VIEW = "view", _("view")
        CLICK = "click", _("click")
        ACTION = "action", _("action")

    campaign = models.ForeignKey(
        Campaign, models.PROTECT, related_name="charges", verbose_name=_("campaign"), db_index=False
    )
    ad = models.ForeignKey(Ad, models.PROTECT, related_name="charges", verbose_name=_("ad"))
    kind = models.CharField(_("kind"), max_length=6, choices=Kind.choices)
    ticket = models.CharField(_("ticket"), max_length=22)
    micros = models.BigIntegerField(_("amount"))
    is_billed = models.BooleanField(_("billed"), default=True)
    charged_at = models.DateTimeField(_("charged"), db_index=True)
    stream_ms = models.BigIntegerField()
    stream_number = models.BigIntegerField()

    class Meta:
        verbose_name = _("charge")
        verbose_name_plural = _("charges")
        permissions: ClassVar = [("export_charge", _("Can export charges"))]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "kind"], name="charged_once_a_ticket")
        ]
        indexes: ClassVar = [models.Index(fields=["campaign", "stream_ms"], name="charges_of_campaign")]

    def __str__(self) -> str:
        return f"{self.kind} {self.ticket}"


class RefusedCharge(models.Model):
    """An entry of the stream of charges that can't become a charge, with the reason; it is never paid."""

    stream_id = models.CharField(_("stream entry"), max_length=40, unique=True)
    fields = models.JSONField(_("fields"))
    reason = models.CharField(_("reason"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("refused charge")
        verbose_name_plural = _("refused charges")

    def __str__(self) -> str:
        return self.stream_id
