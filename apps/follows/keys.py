"""Redis keys of follows: the set of people that a person follows, and the lease for filling it."""

from apps.redis_kit import schema

FOLLOWING = schema.key(
    "follows:{graph}:following:<user>",
    type="set",
    about="ids of the people that a person follows, and 0, which marks the set as complete, even when empty",
    writer="following_sets.followed_ids, following_sets.rebuild",
    expiry="7 days after it was last read",
    rebuilt_from="apps.follows.following_sets:rebuild",
)
FOLLOWING_LEASE = schema.key(
    "follows:{graph}:lease:<user>",
    type="string",
    about="token of the reader who fills the set from SQL; a follow or unfollow meanwhile deletes it",
    writer="following_sets.followed_ids, following_sets.rebuild",
    expiry="10 seconds",
    expendable="without it the rows that were read are not cached, and the next reader reads them again",
)
