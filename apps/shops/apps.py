from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.uv.page_kinds import PAGE_KINDS, PageKind
from apps.web.shared_documents.variants import VARIANTS, Variant

#: What each role may do with shops; owners see their own (shops.members.own_shops).
PERMISSIONS = {
    Role.MANAGER: (
        *codenames("view add change delete", "shop", "shoptype", "shopmember", "shopphoto"),
        "see_all_shops",
    ),
    Role.SUPPORT: ("view_shop", "see_all_shops"),
    Role.SHOP_OWNER: (
        *codenames("view change", "shop"),
        *codenames("view add change delete", "shopphoto"),
    ),
}


class ShopsConfig(AppConfig):
    name = "apps.shops"
    verbose_name = _("Shops")

    def ready(self) -> None:
        roles.register("shops", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        import_module("apps.shops.findable_shops").register()
        import_module("apps.shops.geo.reconcile").register()
        import_module("apps.shops.members.erasure")
        location = import_module("apps.shops.geo.location")
        VARIANTS.register(Variant(location.COOKIE_NAME, location.read_city), key="/")
        PAGE_KINDS.register(PageKind("home"), key="home")
        PAGE_KINDS.register(PageKind("shops"), key="shops:list")
        PAGE_KINDS.register(PageKind("map"), key="shops:map")
        PAGE_KINDS.register(PageKind("shop", "shop_id"), key="shops:detail")
