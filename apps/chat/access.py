"""A chat, if this person is in it; to anybody else it looks as if there were none."""

from django.utils.translation import gettext as _

from apps.chat.models import Chat, Member
from apps.web.problems import Problem


def member(user_id: int, chat_id: int) -> Member:
    """The person's membership with its chat; Problem 404."""
    found = Member.objects.select_related("chat").filter(chat=chat_id, user=user_id).first()
    if found is None:
        raise not_found()
    return found


def group_member(user_id: int, chat_id: int) -> Member:
    """The person's membership in a group; Problem 404, 409 not_a_group."""
    found = member(user_id, chat_id)
    if not found.chat.is_group:
        raise Problem(409, "not_a_group", _("This is a chat of two people: open a group instead."))
    return found


def lock(user_id: int, chat_id: int) -> Member:
    """The person's membership, with the chat locked until the commit; Problem 404.

    Whatever takes the chat's next number, or changes its members, locks the chat first.
    """
    Chat.objects.select_for_update(no_key=True).filter(pk=chat_id).first()
    return member(user_id, chat_id)


def not_found() -> Problem:
    """The refusal for a chat that there is not, that was left, or that is other people's."""
    return Problem(404, "not_found", _("There is no such chat, or you are no longer in it."))
