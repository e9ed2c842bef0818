"""What chats give to others: reportables, targets, rights."""

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.personal.parts import PAGE_PARTS
from apps.accounts.relations import blocks
from apps.adminkit import roles
from apps.adminkit.roles import Role, codenames
from apps.chat import (
    erasure,
    live_topics,
    members,
    mentions,
    messages,
    pages,
    publishing,
    reconcile,
    reportable,
    unread,
)
from apps.chat.models import Chat
from apps.mailbox.display import TARGETS
from apps.moderation.kinds import KINDS
from apps.monitoring.reconcile import parts
from apps.queues.owed import EFFECTS

# Opening a chat needs a reason, which is kept.
roles.PERMISSIONS.register(
    dict.fromkeys((Role.MANAGER, Role.MODERATOR), (*codenames("view", "chat", "chatopening"), "open_chat")),
    key="chat",
)

KINDS.register(reportable.MessageKind(), key="message", order=40)
KINDS.register(reportable.ChatKind(), key="chat", order=50)
TARGETS.register(pages.ChatTargets(), key=members.TARGET_KIND)
TARGETS.register(pages.MessageTargets(), key=mentions.KIND)
TARGETS.register(pages.NewsTargets(), key=publishing.TARGET_KIND)
ERASURES.register(erasure.ERASURE, key="chat", order=20)

PAGE_PARTS.register(unread.UnreadChatsPart(), key="chats", order=25)

blocks.BLOCKED.register(live_topics.close_between)
blocks.BLOCKED.register(unread.forget_both)
blocks.UNBLOCKED.register(live_topics.reopen_between)
blocks.UNBLOCKED.register(unread.forget_both)

parts.register(
    "chat.chats",
    batches=reconcile.compare,
    about="chats: members, numbers of messages, what streams were told",
    count=Chat.objects.count,
)

EFFECTS.register(members.publish_lines)
EFFECTS.register(members.publish_joined)
EFFECTS.register(members.publish_left)
EFFECTS.register(publishing.publish_change)
EFFECTS.register(messages.tell_again)
