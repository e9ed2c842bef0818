"""Redis keys of what operators change while the site runs."""

from apps.redis_kit import schema

MAINTENANCE = schema.key(
    "siteconfig:maintenance",
    type="string",
    about="the maintenance that is on, as JSON: since, until, texts, who; no key when the site is open",
    writer="maintenance.switch",
    expiry="none",
    expendable="a site that has lost it is open again; operators are told so in docs/operations.md",
)
SETTINGS = schema.key(
    "siteconfig:settings",
    type="hash",
    about="component -> number of the change and, as JSON, what operators have set",
    writer="lua/store_newer_settings",
    expiry="none",
    rebuilt_from="apps.siteconfig.components.copies:rebuild",
)
