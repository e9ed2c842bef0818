"""Ads: matching, prices, budgets and what they learn, in Redis; money in SQL."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AdsConfig(AppConfig):
    name = "apps.ads"
    verbose_name = _("Ads")

    def ready(self) -> None:
        # Imported here because these need models, which Django loads after this module.
        import_module("apps.ads.roles").register()
        import_module("apps.ads.erasure")
        import_module("apps.ads.reconcile").register()
