"""Tables of follows: the follows themselves, and each person's counts."""

from collections.abc import Collection
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Follow(models.Model):
    """One person follows another; the following sets in Redis are copies of the rows."""

    follower = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="following_rows",
        verbose_name=_("follower"),
        db_index=False,
    )
    followee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="follower_rows",
        verbose_name=_("followed person"),
        db_index=False,
    )
    created_at = models.DateTimeField(_("since"), default=timezone.now)

    class Meta:
        verbose_name = _("follow")
        verbose_name_plural = _("follows")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["follower", "followee"], name="follows_once"),
            models.CheckConstraint(condition=~Q(follower=F("followee")), name="follows_not_oneself"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["followee", "-id"], name="follows_followers"),
            models.Index(fields=["follower", "-id"], name="follows_following"),
        ]

    def __str__(self) -> str:
        return f"{self.follower_id} follows {self.followee_id}"


class StandingQuerySet(models.QuerySet["Standing"]):
    def for_user(self, user_id: int) -> "Standing":
        """A person's counts; zeros when there is no row."""
        return self.filter(pk=user_id).first() or Standing(pk=user_id)

    def lock(self, user_ids: Collection[int]) -> "dict[int, Standing]":
        """{user id: row} of the given people, created if missing and locked until the commit.

        Rows are locked in order of id, so that two people who follow each other at once don't deadlock.
        """
        ordered = sorted(user_ids)
        self.bulk_create([Standing(pk=user_id) for user_id in ordered], ignore_conflicts=True)
        return {row.pk: row for row in self.select_for_update().filter(pk__in=ordered).order_by("pk")}


class Standing(models.Model):
    """A person's number of followers and of follows, updated in the transaction of each follow."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+", verbose_name=_("person")
    )
    followers = models.PositiveIntegerField(_("followers"), default=0)
    following = models.PositiveIntegerField(_("following"), default=0)

    objects = StandingQuerySet.as_manager()

    class Meta:
        verbose_name = _("follow count")
        verbose_name_plural = _("follow counts")
        indexes: ClassVar = [models.Index(fields=["-followers", "user"], name="follows_popular")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.followers} / {self.following}"
