"""The follows app: follows between people, lists and suggestions."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FollowsConfig(AppConfig):
    name = "apps.follows"
    verbose_name = _("Follows")
