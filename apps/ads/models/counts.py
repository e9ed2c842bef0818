"""What ads did: counts by day, and the charges that are the books."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.ads.models.ads import Ad
from apps.ads.models.campaigns import Campaign


class DailyCount(models.Model):
    """What happened to an ad on a day of the site's time zone; saved from Redis within seconds.

    `served` pages got the ad, `views` of them were seen, `invalid` events counted nothing and cost nothing.
    """

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="days")
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

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="charges", verbose_name=_("campaign"))
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
