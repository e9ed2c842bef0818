"""Permissions of operators, and the last result of each part of the reconciliation."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class Operations(models.Model):
    """A model without a table, which Django's permissions for operators belong to."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions: ClassVar = [
            ("view_redis", _("Can see the Redis page and memory")),
            ("view_metrics", _("Can see activity, timings and log lines")),
            ("rebuild_redis", _("Can rebuild Redis from the database")),
        ]


class ReconcileResult(models.Model):
    """What came of the last run of a part of the reconciliation, and when it was last clean."""

    part = models.CharField(_("part"), max_length=100, primary_key=True)
    ran_at = models.DateTimeField(_("ran"))
    clean_at = models.DateTimeField(_("last clean"), null=True)
    fixed = models.PositiveIntegerField(_("repaired"), default=0)
    left = models.PositiveIntegerField(_("differences left"), default=0)
    seconds = models.FloatField(_("seconds"), default=0)
    #: The last row that a run on the schedule compared; 0 when it compared all.
    stopped_after = models.BigIntegerField(_("stopped after row"), default=0)

    class Meta:
        default_permissions = ()
        verbose_name = _("result of the reconciliation")
        verbose_name_plural = _("results of the reconciliation")

    def __str__(self) -> str:
        return self.part
