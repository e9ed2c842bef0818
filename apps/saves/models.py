"""The models of saves: what a person keeps, their lists, and the items of each."""

from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts.text_fields import LineField, LinesField
from apps.blog.models import Note
from apps.shops.models import Shop
from apps.web import object_urls

#: How long a deleted list can be restored; afterwards its row is removed.
UNDO_PERIOD = timedelta(days=30)
MAX_NAME_LENGTH, MAX_DESCRIPTION_LENGTH = 40, 300


class SaveQuerySet(models.QuerySet["Save"]):
    def of_kind(self, kind: str) -> Self:
        """Saves of "shop" or "note" that people still find: listed shops, published notes."""
        if kind == "shop":
            return self.filter(shop__is_listed=True)
        return self.filter(note__status=Note.Status.PUBLISHED)


class Save(models.Model):
    """A person keeps a shop or a note: one of `shop` and `note` is set.

    All saves together are the person's default list; named lists hold some of them.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="+",
        verbose_name=_("person"),
        db_index=False,
    )
    shop = models.ForeignKey(
        Shop, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("shop")
    )
    note = models.ForeignKey(
        Note, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("note")
    )
    created_at = models.DateTimeField(_("saved"), default=timezone.now)

    objects = SaveQuerySet.as_manager()

    class Meta:
        verbose_name = _("saved shop or note")
        verbose_name_plural = _("saved shops and notes")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "shop"], name="saves_shop_once"),
            models.UniqueConstraint(fields=["user", "note"], name="saves_note_once"),
            models.CheckConstraint(
                condition=Q(shop__isnull=True) ^ Q(note__isnull=True), name="saves_shop_or_note"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "-id"], name="saves_of_user")]

    def __str__(self) -> str:
        return f"#{self.pk}"


class KeptLists(models.Manager["SaveList"]):
    """The lists that their owners have not deleted."""

    def get_queryset(self) -> models.QuerySet["SaveList"]:
        return super().get_queryset().filter(deleted_at=None)


class SaveList(models.Model):
    """A named list of a person's own; strangers see it only while it is public.

    `objects` leaves out the deleted ones, which their owner may restore for UNDO_PERIOD.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("owner")
    )
    name = LineField(_("name"), max_length=MAX_NAME_LENGTH)
    description = LinesField(_("description"), max_length=MAX_DESCRIPTION_LENGTH, blank=True)
    is_public = models.BooleanField(_("public"), default=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    deleted_at = models.DateTimeField(pgettext_lazy("moment", "deleted"), null=True, editable=False)

    with_deleted = models.Manager["SaveList"]()
    objects = KeptLists()

    class Meta:
        default_manager_name = "objects"
        verbose_name = _("list of saved things")
        verbose_name_plural = _("lists of saved things")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["owner", "name"], condition=Q(deleted_at=None), name="saves_list_name_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return object_urls.build("saves:list", self.pk)


class ListEntry(models.Model):
    """A save in a list of the same person."""

    list = models.ForeignKey(SaveList, models.CASCADE, related_name="entries", db_index=False)
    saved = models.ForeignKey(Save, models.CASCADE, related_name="entries")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["list", "saved"], name="saves_in_list_once")]
        indexes: ClassVar = [models.Index(fields=["list", "-created_at", "-id"], name="saves_newest_in_list")]

    def __str__(self) -> str:
        return f"#{self.pk}"
