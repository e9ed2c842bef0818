from apps.redis_kit import schema

FOLLOWING = schema.key(
    "follows:{graph}:following:<user>",
    type="set",
    about="ids of the people that a person follows, and 0: with it the set is whole, even when empty",
    writer="following_sets.followed_ids, following_sets.common_ids, following_sets.rebuild",
    expiry="7 days after it was last read",
    rebuilt_from="apps.follows.following_sets:rebuild",
)
FOLLOWING_LEASE = schema.key(
    "follows:{graph}:lease:<user>",
    type="string",
    about="token of the one who reads a person's rows to fill the set; a follow meanwhile takes it away",
    writer="following_sets.followed_ids, following_sets.common_ids, following_sets.rebuild",
    expiry="10 seconds",
    expendable="the rows that were read are not kept, and the next reader reads them again",
)
