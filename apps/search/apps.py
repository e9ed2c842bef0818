"""Search and suggestions: an inverted index in Redis that follows the rows in SQL."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SearchConfig(AppConfig):
    name = "apps.search"
    verbose_name = _("Search")
