"""The Redis keys of likes and feeds."""

from apps.redis_kit import copies, schema
from apps.redis_kit.schema import marked as _

FIRST_LIKERS = schema.key(
    "blog:first-likers:{<note>}",
    type="zset",
    about=_("who liked a note first, scored by the microsecond of the like; 0, which marks it as complete"),
    writer="redis_kit.copies",
    expiry=_("30 days after it was filled"),
    rebuilt_from="apps.blog.like_copies:FIRST_LIKERS",
)
FIRST_LIKERS_LEASE = copies.lease_key("blog:first-likers-lease:{<note>}")
LIKED = schema.key(
    "blog:liked:{<user>}",
    type="set",
    about=_(
        "notes that a person liked last; 0, which marks it as complete, and -1 where there are older ones"
    ),
    writer="redis_kit.copies",
    expiry=_("30 days after it was filled"),
    rebuilt_from="apps.blog.like_copies:LIKED",
)
LIKED_LEASE = copies.lease_key("blog:liked-lease:{<user>}")
FEED_INBOX = schema.key(
    "blog:{feed<shard>}:inbox:<reader>",
    type="zset",
    about=_(
        "newest notes of whom a reader follows: id in 19 digits, scored by microsecond of publication; "
        'the member "floor": all above its score are here, below zero it is being filled'
    ),
    writer="lua/read_inbox, lua/add_notes",
    expiry=_("30 days after its reader's last visit; 1 minute while it is being filled"),
    rebuilt_from="apps.blog.feed.inboxes:rebuild",
)
