"""What shops give to other apps: documents for search, kinds of pages, rights."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import city_names
from apps.accounts.deletion.rules import ERASURES
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.front.documents.variants import VARIANTS, Variant
from apps.imports.kinds import KINDS
from apps.mailbox.display import TARGETS
from apps.monitoring import rebuilding
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS
from apps.shops import changes, findable_shops, importing, shop_cache
from apps.shops.claims import claims, corrections
from apps.shops.geo import cities, location
from apps.shops.geo import rebuilding as geo_rebuilding
from apps.shops.importing.members import MemberResource
from apps.shops.importing.shops import ShopResource
from apps.shops.members import membership
from apps.shops.models import Shop
from apps.uv.page_kinds import PAGE_KINDS, PageKind
from apps.web import findable

# Owners see their own shops (shops.members.own_shops).
roles.PERMISSIONS.register(
    {
        Role.MANAGER: (
            *codenames("view add change delete", "city", "shop", "shoptype", "shopmember", "shopphoto"),
            "see_all_shops",
            *("view_shopclaim", "decide_shopclaim"),
            *("view_shopcorrection", "decide_shopcorrection"),
        ),
        Role.MODERATOR: ("view_shopcorrection", "decide_shopcorrection"),
        Role.SUPPORT: ("view_shop", "see_all_shops"),
        Role.SHOP_OWNER: (
            *codenames("view change", "shop"),
            *codenames("view add change delete", "shopphoto"),
        ),
    },
    key="shops",
)

city_names.use_site_cities(lambda: [(city.name_en, city.name_zh) for city in cities.read()])
KINDS.register(ShopResource, key=importing.SHOPS)
KINDS.register(MemberResource, key=importing.MEMBERS)
findable.KINDS.register(findable_shops.KIND, key=findable_shops.NAME, order=10)
ERASURES.register(membership.ERASURE, key="shops", order=50)
ERASURES.register(claims.ERASURE, key="shops.claims", order=50)
ERASURES.register(corrections.ERASURE, key="shops.corrections", order=50)
TARGETS.register(claims.ClaimTargets(), key=claims.TARGET_KIND)
TARGETS.register(corrections.CorrectionTargets(), key=corrections.TARGET_KIND)

VARIANTS.register(Variant(location.COOKIE_NAME, location.read_city, location.locate_city), key="/")
PAGE_KINDS.register(PageKind("home"), key="home")
PAGE_KINDS.register(PageKind("shops"), key="shops:list")
PAGE_KINDS.register(PageKind("map"), key="shops:map")
PAGE_KINDS.register(PageKind("shop", "shop_id"), key="shops:detail")

parts.register(
    "shops.geo",
    batches=geo_rebuilding.compare,
    about="shops nearby: GEO indexes by type, and facts",
    count=Shop.objects.count,
    order=30,
)

rebuilding.register(geo_rebuilding.rebuild, _("Shops on the map"))

EFFECTS.register(changes.reindex)
EFFECTS.register(changes.forget_city)
EFFECTS.register(shop_cache.invalidate)
EFFECTS.register(shop_cache.invalidate_all)
