"""Redis keys of saves: what each person saved, and how many people saved each shop and note."""

from apps.redis_kit import schema

SAVED = schema.key(
    "saves:saved:{<user>}",
    type="set",
    about="what a person saved: ids of shops, ids of notes below zero, and 0, which marks it as complete",
    writer="saved_sets.rebuild, saved_sets.forget",
    expiry="7 days after it was filled",
    rebuilt_from="apps.saves.saved_sets:rebuild",
)
SAVED_LEASE = schema.key(
    "saves:lease:{<user>}",
    type="string",
    about="token of the reader who fills the set from SQL; a save or its end meanwhile deletes it",
    writer="saved_sets.rebuild, saved_sets.forget",
    expiry="10 seconds",
    expendable="without it the rows that were read are not cached, and the next reader reads them again",
)
COUNT = schema.key(
    "saves:count:<kind>:<id>",
    type="hash",
    about="how many people saved a shop or a note, as JSON",
    writer="counts.read",
    expiry="1 day, spread",
    expendable="a cache: counted in SQL again",
)
