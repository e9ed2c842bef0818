"""The pattern pages: what is behind the site, to try and to break; may import every app."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.monitoring.pattern_pages import PATTERN_PAGES


class PatternsConfig(AppConfig):
    name = "apps.patterns"
    verbose_name = _("Patterns")

    def ready(self) -> None:
        # Not at the top: it needs models, and this file is read before there are any.
        PATTERN_PAGES.register(import_module("apps.patterns.registry").find_page)
