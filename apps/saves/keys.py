"""The Redis keys of saves: what each person saved."""

from apps.redis_kit import copies, schema
from apps.redis_kit.schema import marked as _

SAVED = schema.key(
    "saves:saved:{<user>}",
    type="set",
    about=_("what a person saved: ids of shops, ids of notes below zero, and 0, which marks it as complete"),
    writer="redis_kit.copies",
    expiry=_("7 days after it was filled"),
    rebuilt_from="apps.saves.saves:SETS",
)
SAVED_LEASE = copies.lease_key("saves:lease:{<user>}")
