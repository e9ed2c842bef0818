"""Ads: matching, prices, budgets and what they learn, in Redis; money in SQL."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AdsConfig(AppConfig):
    name = "apps.ads"
    verbose_name = _("Ads")
