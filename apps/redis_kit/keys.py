from apps.redis_kit import schema

ID_CLOCK = schema.key(
    "kit:ids:<noun>",
    type="hash",
    about="second and per-day counter of the newest id of a noun",
    writer="ids.next_ids",
    expiry="2 days after the last id",
    expendable="a new clock starts at the present second, past every id that was made",
)
