"""Redis keys of shops."""

from apps.redis_kit import schema

#: The type of a GEO index that holds every type; rows count from 1.
ALL_TYPES = 0

GEO = schema.key(
    "shops:{near}:geo:<type>",
    type="zset",
    about="where the listed shops of a type are (GEO; 0 holds all types), members are shop ids",
    writer="geo_index.put_shops, geo_index.remove_shops, rebuilding.rebuild",
    expiry="none",
    rebuilt_from="apps.shops.geo.rebuilding:rebuild",
)
FACTS = schema.key(
    "shops:{near}:facts",
    type="hash",
    about="shop id -> what lists sort and filter by, parted by colons (geo_index.encode_facts)",
    writer="geo_index.put_shops, geo_index.remove_shops, rebuilding.rebuild",
    expiry="none",
    rebuilt_from="apps.shops.geo.rebuilding:rebuild",
)
INDEX_COMPLETE = schema.key(
    "shops:{near}:complete2",
    type="string",
    about="number of shops at the last rebuild with these facts; without it readers ask SQL",
    writer="rebuilding.rebuild",
    expiry="none",
    rebuilt_from="apps.shops.geo.rebuilding:rebuild",
)
DELETED = schema.key(
    "shops:{near}:gone",
    type="set",
    about="ids of shops deleted lately, so that a late writer or a running rebuild can't bring one back",
    writer="geo_index.remove_shops",
    expiry="1 hour after the last deletion",
    expendable="only matters while a rebuild or a slower save of the same shop is under way",
)
BUILD_GEO = schema.key(
    "shops:{near}:next:<build>:geo:<type>",
    type="zset",
    about="the index that a rebuild is filling, renamed when it is complete",
    writer="rebuilding.rebuild",
    expiry="1 hour, if the rebuild dies",
    expendable="the rebuild that made it starts over",
)
BUILD_FACTS = schema.key(
    "shops:{near}:next:<build>:facts",
    type="hash",
    about="the facts that a rebuild is filling",
    writer="rebuilding.rebuild",
    expiry="1 hour, if the rebuild dies",
    expendable="the rebuild that made it starts over",
)
DETAIL = schema.key(
    "shops:page:<shop>",
    type="hash",
    about="a shop with its type and photos as JSON (kit cache entry)",
    writer="shop_cache",
    expiry="1 hour, spread",
    expendable="a cache: read from SQL again",
)
DISTRICTS = schema.key(
    "shops:districts:<city>",
    type="hash",
    about="where the areas of a city lie, for the drawn ground of its map, as JSON (kit cache entry)",
    writer="geo.ground",
    expiry="1 day, spread",
    expendable="a cache: computed in SQL again",
)
FACETS = schema.key(
    "shops:facets:<city>:<type>",
    type="hash",
    about="how many shops of a city each choice of a filter has, as JSON (kit cache entry); 0 is all types",
    writer="lists.facets",
    expiry="6 hours, spread",
    expendable="a cache: counted in SQL again",
)
SIMILAR = schema.key(
    "shops:similar:<shop>",
    type="hash",
    about="ids of shops that readers of a shop's page may like, as JSON (kit cache entry)",
    writer="similar.load",
    expiry="1 day, spread",
    expendable="a cache: computed from the GEO index again",
)
