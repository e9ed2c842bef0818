"""The Redis keys of likes and feeds."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

LIKES = schema.key(
    "blog:likes:{<note>}",
    type="zset",
    about=_(
        'who likes a note, scored by the microsecond of the like; "*", scored minus its floor: it is whole'
    ),
    writer="lua/apply_like, lua/swap_likes",
    expiry=_("30 days after the last like, or look at the note's page"),
    rebuilt_from="apps.blog.likes.like_builds:LIKES",
)
LIKE_CHANGES = schema.key(
    "blog:like-changes:{<note>}",
    type="zset",
    about=_("newest change of a person's like, in microseconds, negative for an unlike"),
    writer="lua/apply_like",
    expiry=_("1 hour after the last one"),
    expendable=_("only news that overtake each other need it, and they do so within seconds"),
)
LIKE_LEASE = schema.key(
    "blog:like-lease:{<note>}",
    type="string",
    about=_("floor and token of the one who copies a note's likes from SQL"),
    writer="like_builds.build",
    expiry=_("1 minute"),
    expendable=_("a copy without its lease is thrown away, and the next reader starts again"),
)
LIKE_BUILD = schema.key(
    "blog:like-build:{<note>}:<token>",
    type="zset",
    about=_("the copy of a note's likes while it is being written"),
    writer="like_builds.build",
    expiry=_("5 minutes"),
    expendable=_("a copy that was cut off starts again from SQL"),
)
FEED_INBOX = schema.key(
    "blog:{feed<shard>}:inbox:<reader>",
    type="zset",
    about=_(
        "newest notes of whom a reader follows: id in 19 digits, scored by microsecond of publication; "
        'the member "floor": all above its score are here, below zero it is being filled'
    ),
    writer="lua/read_inbox, lua/add_notes",
    expiry=_("30 days after its reader's last visit; 1 minute while it is being filled"),
    rebuilt_from="apps.blog.feed.inbox_filling:rebuild",
)
