"""Redis keys of saves: what each person saved, and how many people saved each shop and note."""

from apps.redis_kit import copies, schema
from apps.redis_kit.schema import marked as _

SAVED = schema.key(
    "saves:saved:{<user>}",
    type="set",
    about=_("what a person saved: ids of shops, ids of notes below zero, and 0, which marks it as complete"),
    writer="redis_kit.copies",
    expiry=_("7 days after it was filled"),
    rebuilt_from="apps.saves.saved_sets:SETS",
)
SAVED_LEASE = copies.lease_key("saves:lease:{<user>}")
COUNT = schema.key(
    "saves:count:<kind>:<id>",
    type="hash",
    about=_("how many people saved a shop or a note, as JSON"),
    writer="counts.read",
    expiry=_("1 day, spread"),
    expendable=_("a cache: counted in SQL again"),
)
