"""Redis keys of what operators change while the site runs."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

MAINTENANCE = schema.key(
    "siteconfig:maintenance",
    type="string",
    about=_("the maintenance that is on, as JSON: since, until, texts, who; no key when the site is open"),
    writer="maintenance.switch",
    expiry=_("none"),
    expendable=_("a site that has lost it is open again; operators are told so in docs/operations.md"),
)
SETTINGS = schema.key(
    "siteconfig:settings",
    type="hash",
    about=_("component -> number of the change and, as JSON, what operators have set"),
    writer="lua/store_newer_settings",
    expiry=_("none"),
    rebuilt_from="apps.siteconfig.components.copies:rebuild",
)
