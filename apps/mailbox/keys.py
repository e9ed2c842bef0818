"""The Redis keys of the mailbox: copies of rows, which are deleted at each change and filled by readers."""

from apps.redis_kit import schema

HEAD = schema.key(
    "mailbox:{<user>}:head",
    type="list",
    about="one element, JSON: how many notifications are unread, and what decides which broadcasts are",
    writer="copies.unread, lua/fill_list",
    expiry="7 days",
    rebuilt_from="apps.mailbox.copies.unread:rebuild",
)
HEAD_LEASE = schema.key(
    "mailbox:{<user>}:head-lease",
    type="string",
    about="token of the reader who fills the head from SQL; a change meanwhile deletes it",
    writer="copies.complete_lists, lua/fill_list",
    expiry="10 seconds",
    expendable="without it what was read is not kept, and the next reader reads it again",
)
NEWEST = schema.key(
    "mailbox:{<user>}:newest",
    type="list",
    about='"*", which marks the list as whole, then the newest 100 notifications of a person as JSON',
    writer="copies.newest, lua/fill_list",
    expiry="7 days",
    expendable="the next look at the list fills it from SQL",
    private="notifications",
)
NEWEST_LEASE = schema.key(
    "mailbox:{<user>}:newest-lease",
    type="string",
    about="token of the reader who fills the newest from SQL; a change meanwhile deletes it",
    writer="copies.complete_lists, lua/fill_list",
    expiry="10 seconds",
    expendable="without it what was read is not kept, and the next reader reads it again",
)
BROADCASTS = schema.key(
    "mailbox:{broadcasts}:newest",
    type="list",
    about='"*", then what tells whose each broadcast of the last 90 days is, as JSON, the newest first',
    writer="copies.merging, lua/fill_list",
    expiry="7 days",
    expendable="the next page fills it from SQL",
)
BROADCASTS_LEASE = schema.key(
    "mailbox:{broadcasts}:lease",
    type="string",
    about="token of the reader who fills the broadcasts from SQL; a change meanwhile deletes it",
    writer="copies.complete_lists, lua/fill_list",
    expiry="10 seconds",
    expendable="without it what was read is not kept, and the next reader reads it again",
)
