"""Redis keys of chats: the recent messages of each, by their numbers."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

EVENTS = schema.key(
    "chat:events:<chat>",
    type="stream",
    about=_("the latest 256 messages and changes of a chat; the id of a message is its number"),
    writer="publishing.publish, lua/tell_messages, lua/tell_change",
    expiry=_("20 minutes after the last message"),
    expendable=_("messages are in SQL: who comes back without it is told to load the chat again"),
    private=_("messages"),
)

UNREAD = schema.key(
    "chat:unread:<user>",
    type="string",
    about=_("a person's chats with news, and those that they muted, as JSON: what the header counts"),
    writer="unread.UnreadChatsPart, unread.forget",
    expiry=_("10 seconds"),
    expendable=_("the next page counts in SQL"),
    private=_("a person's chats"),
)
