"""The pattern pages: what is behind the site, to try and to break; may import every app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PatternsConfig(AppConfig):
    name = "apps.patterns"
    verbose_name = _("Patterns")
