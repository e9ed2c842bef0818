"""The chats among the topics of a person's live stream; a block takes the chat of the two out of it."""

from django.db.models import OuterRef

from apps.accounts.relations import blocks
from apps.chat import publishing
from apps.chat.models import Chat, Member, build_pair
from apps.front import live
from apps.front.live import Topic


def list_topics(user_id: int) -> list[Topic]:
    """The topics of the chats that a person is in, without those with people apart by a block; one query."""
    rows = Member.objects.filter(~blocks.is_apart(user_id, OuterRef("partner")), user=user_id)
    return [publishing.topic(chat_id) for chat_id in rows.values_list("chat_id", flat=True)]


def close_between(user_id: int, other_id: int) -> None:
    """Take the chat of two people out of their open streams, after the commit of a block."""
    if chat := _find_chat(user_id, other_id):
        for each in (user_id, other_id):
            live.unfollow(each, publishing.topic(chat.pk))


def reopen_between(user_id: int, other_id: int) -> None:
    """Give two people's open streams their chat again, unless the other person's block is still there."""
    if (chat := _find_chat(user_id, other_id)) and not blocks.are_apart(user_id, other_id):
        member_ids = Member.objects.filter(chat=chat).values_list("user_id", flat=True)
        live.follow(member_ids, publishing.topic(chat.pk), after=f"{chat.last_number}-0")


def _find_chat(user_id: int, other_id: int) -> Chat | None:
    return Chat.objects.filter(pair=build_pair(user_id, other_id)).first()
