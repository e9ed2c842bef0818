"""Ads: what people see, where it may appear and which words it is about."""

from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.ads import targeting
from apps.ads.models.campaigns import Campaign
from apps.shops.models import Shop
from apps.web import in_language
from apps.web.in_language import InLanguage


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

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="locations")
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

    ad = models.ForeignKey(Ad, models.CASCADE, related_name="words")
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
