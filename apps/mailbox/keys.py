"""The Redis keys of the mailbox: copies of rows, which are deleted at each change and filled by readers."""

from apps.redis_kit import copies, schema
from apps.redis_kit.schema import marked as _

HEAD = schema.key(
    "mailbox:{<user>}:head",
    type="list",
    about=_("one element, JSON: how many notifications are unread, and what decides which broadcasts are"),
    writer="redis_kit.copies",
    expiry=_("7 days"),
    rebuilt_from="apps.mailbox.copies:HEADS",
)
HEAD_LEASE = copies.lease_key("mailbox:{<user>}:head-lease")
NEWEST = schema.key(
    "mailbox:{<user>}:newest",
    type="list",
    about=_('"*", which marks the list as whole, then the newest 100 notifications of a person as JSON'),
    writer="redis_kit.copies",
    expiry=_("7 days"),
    expendable=_("the next look at the list fills it from SQL"),
    private=_("notifications"),
)
NEWEST_LEASE = copies.lease_key("mailbox:{<user>}:newest-lease")
BROADCASTS = schema.key(
    "mailbox:{broadcasts}:newest",
    type="list",
    about=_('"*", then what tells whose each broadcast of the last 90 days is, as JSON, the newest first'),
    writer="redis_kit.copies",
    expiry=_("7 days"),
    expendable=_("the next page fills it from SQL"),
)
BROADCASTS_LEASE = copies.lease_key("mailbox:{broadcasts}:lease")
