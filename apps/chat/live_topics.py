"""The chats among the topics of a person's live stream."""

from apps.chat import telling
from apps.chat.models import Member
from apps.web.live import TOPICS, Topic


def list_topics(user_id: int) -> list[Topic]:
    """The topics of all chats that a person is in."""
    chat_ids = Member.objects.filter(user=user_id).values_list("chat_id", flat=True)
    return [telling.topic(chat_id) for chat_id in chat_ids]


TOPICS.register(list_topics)
