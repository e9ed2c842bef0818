"""Daily counts of visitors and page views."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class DailyVisits(models.Model):
    """Visitors and page views of a day in the site's time zone, as Redis counted them.

    `scope` is "site" or a kind of page; `object_id` is the shop or note that it counts, 0 for all of them.
    """

    day = models.DateField(_("day"))
    scope = models.CharField(_("page"), max_length=20)
    object_id = models.PositiveBigIntegerField(_("object"), default=0)
    uv = models.PositiveBigIntegerField(_("visitors"))
    pv = models.PositiveBigIntegerField(_("page views"))

    class Meta:
        verbose_name = _("visits of a day")
        verbose_name_plural = _("visits by day")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["scope", "object_id", "day"], name="uv_one_row_a_day"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["scope", "day"], name="uv_by_day"),
        ]

    def __str__(self) -> str:
        what = f"{self.scope}:{self.object_id}" if self.object_id else self.scope
        return f"{what} on {self.day}: {self.uv} visitors, {self.pv} views"
