from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.uv.page_kinds import PAGE_KINDS, PageKind


class CouponsConfig(AppConfig):
    name = "apps.coupons"
    verbose_name = _("Coupons")

    def ready(self) -> None:
        # Not at the top: these need models, and this file is read before there are any.
        import_module("apps.coupons.panels")
        import_module("apps.coupons.personal")
        import_module("apps.coupons.buyer.notification_targets")
        import_module("apps.coupons.catalog.findable_sales").register()
        import_module("apps.coupons.monitoring_hooks").register()
        import_module("apps.coupons.reconcile.registered").register()
        for name in ("coupons:sales", "coupons:sale"):
            PAGE_KINDS.register(PageKind("sales"), key=name)
