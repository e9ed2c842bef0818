from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.uv.page_kinds import PAGE_KINDS, PageKind


class ShopsConfig(AppConfig):
    name = "apps.shops"
    verbose_name = _("Shops")

    def ready(self) -> None:
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.shops.findable_shops").register()
        import_module("apps.shops.geo.reconcile").register()
        PAGE_KINDS.register(PageKind("home"), key="home")
        PAGE_KINDS.register(PageKind("shops"), key="shops:list")
        PAGE_KINDS.register(PageKind("map"), key="shops:map")
        PAGE_KINDS.register(PageKind("shop", "shop_id"), key="shops:detail")
