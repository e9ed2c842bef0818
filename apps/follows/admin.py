"""The admin of follows: the follows, and the most followed people."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from apps.adminkit.read_only import PersonRowsAdmin, ReadOnlyAdmin
from apps.follows.models import Follow, Standing


@admin.register(Follow)
class FollowAdmin(ReadOnlyAdmin):
    """Follows, searched by either person."""

    list_display = ("follower", "followee", "created_at")
    list_select_related = ("follower", "followee")
    search_fields = ("follower__phone", "follower__nickname", "followee__phone", "followee__nickname")
    search_help_text = _("Phone or nickname")
    ordering = ("-id",)
    fields = ("follower", "followee", "created_at")


@admin.register(Standing)
class StandingAdmin(PersonRowsAdmin):
    """Counts of followers and follows, the most followed first."""

    list_display = ("person", "followers", "following")
    ordering = ("-followers", "pk")
    fields = ("user", "followers", "following")
