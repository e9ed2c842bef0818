"""Redis key of rankings: what the pages show, a copy of SQL's rows."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

CITY = schema.key(
    "rankings:city:<city>",
    type="hash",
    about=_(
        "a city's current rankings as JSON: type -> [shop, place, places up since last week, whether new]"
    ),
    writer="rankings.read",
    expiry=_("1 day, spread"),
    expendable=_("a cache: read from SQL's rows again"),
)
