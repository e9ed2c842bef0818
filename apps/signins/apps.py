"""The check-ins app: days in a row, their points, and the leaderboard."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SigninsConfig(AppConfig):
    name = "apps.signins"
    verbose_name = _("Check-ins")
