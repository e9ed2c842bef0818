"""Keys that the kit's own tests write."""

from apps.redis_kit import copies, schema

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
NAMES = schema.key(
    "kittest:names:<book>",
    type="zset",
    about="names of an address book",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
INDEX_RECORDS = schema.key(
    "kittest:{index}:records",
    type="hash",
    about="records of an index of names",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
INDEX_WORDS = schema.key(
    "kittest:{index}:words",
    type="zset",
    about="words of an index of names",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
INDEX_NAMES = schema.key(
    "kittest:{index}:names:<band>",
    type="zset",
    about="names of one band of an index",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
ORDER_RECORDS = schema.key(
    "kittest:{order}:records",
    type="hash",
    about="versions and keys of an order of names",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
ORDER_NAMES = schema.key(
    "kittest:{order}:names",
    type="zset",
    about="keys of an order of names",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
ORDER_PLACES = schema.key(
    "kittest:{order}:places",
    type="zset",
    about="places of an order of names",
    writer="tests",
    expiry="none",
    expendable="a test's",
)
COPY = schema.key(
    "kittest:{copies}:set:<owner>",
    type="set",
    about="a copied set",
    writer="tests",
    expiry="a minute",
    expendable="a test's",
)
COPY_LEASE = copies.lease_key("kittest:{copies}:lease:<owner>")
LIST_COPY = schema.key(
    "kittest:{list}:list",
    type="list",
    about="a copied list",
    writer="tests",
    expiry="a minute",
    expendable="a test's",
)
LIST_LEASE = copies.lease_key("kittest:{list}:lease")
