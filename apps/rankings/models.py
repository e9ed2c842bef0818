"""The places of shops in the rankings of each week."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.shops.models import Shop, ShopType


class Rank(models.Model):
    """A shop's place among a city's shops of a type in a week; `week` is its Monday.

    The rows of the current week are made anew every hour, those of past weeks stay as the week ended.
    """

    week = models.DateField(_("week from"))
    city = models.CharField(_("city"), max_length=50)
    type = models.ForeignKey(ShopType, models.CASCADE, related_name="+", verbose_name=_("type"))
    shop = models.ForeignKey(Shop, models.CASCADE, related_name="+", verbose_name=_("shop"))
    rank = models.PositiveSmallIntegerField(_("rank"))
    score = models.FloatField(_("score"))

    class Meta:
        verbose_name = _("place in a ranking")
        verbose_name_plural = _("places in rankings")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["city", "week", "type", "rank"], name="rankings_one_shop_a_place"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.week} · {self.city} · {self.rank}"
