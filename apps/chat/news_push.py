"""Pushes news of chats to their members' browsers: one for each chat, until the person has seen more of it.

`apps.chat.tasks` registers the task.
"""

import logging

from celery import shared_task
from celery.exceptions import Retry
from django.conf import settings
from django.db import transaction
from django.db.models import Exists
from kombu.exceptions import OperationalError

from apps.chat.models import Member, Message
from apps.mailbox import push
from apps.mailbox.notices import Kind

#: Chats with news as a push names them: pages.notification_targets.
TARGET_KIND = "chat-news"
log = logging.getLogger(__name__)


def announce(chat_id: int) -> bool:
    """Have a worker push a chat's news; called after the commit of a message.

    False when the broker is away.
    """
    if settings.VAPID_KEY is None:
        return True
    try:
        push_news.apply_async((chat_id,), retry=False)
    except (OperationalError, Retry):
        log.warning("news of chat %d is pushed later: the broker is away", chat_id)
        return False
    return True


@shared_task(name="chat.push_news")
def push_news(chat_id: int) -> int:
    """Post a chat's news to the members who have not seen them and did not mute it; returns their number."""
    news = Exists(Message.objects.news_of_outer_member())
    rows = Member.objects.filter(news, chat=chat_id, is_muted=False)
    seen = dict(rows.values_list("user", "seen_number"))
    with transaction.atomic():
        push.post_news(Kind.CHAT, TARGET_KIND, chat_id, seen)
    return len(seen)
