"""Redis keys of the cities of addresses: the live table, and the one that an import fills."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

_FIELDS = _(
    "packed ranges by page of addresses (`4:` + 16 bits, `6:` + 32 bits, `d:` + 64 bits, `4:wide`, "
    "`6:wide`), cities by `c` + geoname id as JSON, and `about` the import"
)
_EXPENDABLE = _("cities are unknown until `import_geoip` runs again; everything else works")

TABLE = schema.key(
    "geoip:{geoip}:table",
    type="hash",
    about=_FIELDS,
    writer="importing.import_files",
    expiry=_("none"),
    expendable=_EXPENDABLE,
)
BUILDING = schema.key(
    "geoip:{geoip}:building",
    type="hash",
    about=_("the table of an import under way, with its `progress`; becomes the live one in one step"),
    writer="importing.import_files",
    expiry=_("7 days after its last batch"),
    expendable=_("an import that lost it starts again from the first row"),
)
