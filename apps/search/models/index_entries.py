"""The outbox of the index: one row a thing, with the version that the index must have."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class IndexEntry(models.Model):
    """A thing that changed since it was imported; `version` counts its changes.

    `is_waiting` until the index has this version. The row stays when the thing is deleted.
    """

    kind = models.CharField(_("kind"), max_length=20)
    object_id = models.BigIntegerField(_("number"))
    version = models.PositiveBigIntegerField(_("version"), default=1)
    is_waiting = models.BooleanField(_("waiting"), default=True)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now)

    class Meta:
        verbose_name = _("change for the search index")
        verbose_name_plural = _("changes for the search index")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "object_id"], name="search_one_entry_a_thing")
        ]
        indexes: ClassVar = [
            models.Index(fields=["changed_at"], condition=Q(is_waiting=True), name="search_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id} v{self.version}"
