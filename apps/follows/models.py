from collections.abc import Collection
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Follow(models.Model):
    """One person follows another; the row is the truth, the SET in Redis its copy."""

    follower = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="following_rows")
    followee = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="follower_rows")
    created_at = models.DateTimeField(default=timezone.now)

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
        """Both counts of a person; zeros when there is no row."""
        return self.filter(pk=user_id).first() or Standing(pk=user_id)

    def lock(self, user_ids: Collection[int]) -> "dict[int, Standing]":
        """The rows of these people, made if need be, and nobody else's to change until the commit.

        In order of id: two who follow each other at the same moment then wait, and never for each other.
        """
        ordered = sorted(user_ids)
        self.bulk_create([Standing(pk=one) for one in ordered], ignore_conflicts=True)
        return {row.pk: row for row in self.select_for_update().filter(pk__in=ordered).order_by("pk")}


class Standing(models.Model):
    """How many follow a person, and how many they follow: changed in the transaction of the follow."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    followers = models.PositiveIntegerField(_("followers"), default=0)
    following = models.PositiveIntegerField(_("following"), default=0)

    objects = StandingQuerySet.as_manager()

    class Meta:
        verbose_name = _("standing")
        verbose_name_plural = _("standings")
        indexes: ClassVar = [models.Index(fields=["-followers", "user"], name="follows_popular")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.followers} / {self.following}"
