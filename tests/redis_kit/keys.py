"""Keys that the kit's own tests write."""

from apps.redis_kit import schema

COUNTER = schema.key(
    "kittest:{c}:counter:<name>",
    type="string",
    about="what a test counts",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
THING = schema.key(
    "kittest:thing:<thing>",
    type="hash",
    about="a cached thing",
    writer="cache.Cache",
    expiry="its cache's ttl",
    expendable="a test's",
)
OTHER = schema.key(
    "kittest:other:<thing>:<language>",
    type="hash",
    about="a cached thing in a language",
    writer="cache.Cache",
    expiry="its cache's ttl",
    expendable="a test's",
)
QUEUE = schema.key(
    "kittest:queue:<number>",
    type="stream",
    about="entries to handle",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
DONE = schema.key(
    "kittest:done",
    type="set",
    about="what was handled",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
