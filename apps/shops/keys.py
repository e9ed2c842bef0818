"""Redis keys of shops."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

#: The type of a GEO index that holds every type; rows count from 1.
ALL_TYPES = 0

GEO = schema.key(
    "shops:{near}:geo:<type>",
    type="zset",
    about=_("where the listed shops of a type are (GEO; 0 holds all types), members are shop ids"),
    writer="geo_index.put_shops, geo_index.remove_shops, rebuilding.rebuild",
    expiry=_("none"),
    rebuilt_from="apps.shops.geo.rebuilding:rebuild",
)
FACTS = schema.key(
    "shops:{near}:facts",
    type="hash",
    about=_("shop id -> what lists sort and filter by, parted by colons (geo_index.encode_facts)"),
    writer="geo_index.put_shops, geo_index.remove_shops, rebuilding.rebuild",
    expiry=_("none"),
    rebuilt_from="apps.shops.geo.rebuilding:rebuild",
)
INDEX_COMPLETE = schema.key(
    "shops:{near}:complete2",
    type="string",
    about=_("number of shops at the last rebuild with these facts; without it readers ask SQL"),
    writer="rebuilding.rebuild",
    expiry=_("none"),
    rebuilt_from="apps.shops.geo.rebuilding:rebuild",
)
DELETED = schema.key(
    "shops:{near}:gone",
    type="set",
    about=_("ids of shops deleted lately, so that a late writer or a running rebuild can't bring one back"),
    writer="geo_index.remove_shops",
    expiry=_("1 hour after the last deletion"),
    expendable=_("only matters while a rebuild or a slower save of the same shop is under way"),
)
BUILD_GEO = schema.key(
    "shops:{near}:next:<build>:geo:<type>",
    type="zset",
    about=_("the index that a rebuild is filling, renamed when it is complete"),
    writer="rebuilding.rebuild",
    expiry=_("1 hour, if the rebuild dies"),
    expendable=_("the rebuild that made it starts over"),
)
BUILD_FACTS = schema.key(
    "shops:{near}:next:<build>:facts",
    type="hash",
    about=_("the facts that a rebuild is filling"),
    writer="rebuilding.rebuild",
    expiry=_("1 hour, if the rebuild dies"),
    expendable=_("the rebuild that made it starts over"),
)
DETAIL = schema.key(
    "shops:page:<shop>",
    type="hash",
    about=_("a shop with its type and photos as JSON (kit cache entry)"),
    writer="shop_cache",
    expiry=_("1 hour, spread"),
    expendable=_("a cache: read from SQL again"),
)
DISTRICTS = schema.key(
    "shops:districts:<city>",
    type="hash",
    about=_("where the areas of a city lie, for the drawn ground of its map, as JSON (kit cache entry)"),
    writer="geo.ground",
    expiry=_("1 day, spread"),
    expendable=_("a cache: computed in SQL again"),
)
FACETS = schema.key(
    "shops:facets:<city>:<type>",
    type="hash",
    about=_(
        "how many shops of a city each choice of a filter has, as JSON (kit cache entry); 0 is all types"
    ),
    writer="lists.facets",
    expiry=_("6 hours, spread"),
    expendable=_("a cache: counted in SQL again"),
)
SIMILAR = schema.key(
    "shops:similar:<shop>",
    type="hash",
    about=_("ids of shops that readers of a shop's page may like, as JSON (kit cache entry)"),
    writer="detail_page.load_similar",
    expiry=_("1 day, spread"),
    expendable=_("a cache: computed from the GEO index again"),
)
