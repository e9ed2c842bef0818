"""Permissions of operators."""

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
