"""Opens, lists, renames and mutes chats."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, F, Q, QuerySet
from django.utils.translation import gettext as _

from apps.accounts import access as people_access
from apps.accounts.profiles import suspensions
from apps.accounts.relations import blocks, contacts
from apps.chat import access, chat_rows, members, unread
from apps.chat.chat_rows import ChatRow
from apps.chat.models import Chat, Member, Message, build_pair
from apps.queues import owed
from apps.web import characters, on_commit, paging
from apps.web.compiled_queries import CompiledQuery
from apps.web.problems import Problem

#: Chats of a page.
PAGE_SIZE = paging.PAGE_SIZE
#: Chats whose titles are compared with typed words, the newest first.
MAX_SEARCHED_CHATS = 2_000


@dataclass(frozen=True)
class ChatPage:
    """Chats, that with the latest message first, and the cursor of the next page."""

    items: list[ChatRow]
    next: str | None


def open_with(user_id: int, other_id: int) -> Chat:
    """The chat with another person, opened if there is none. Problem 403, 404, 422, 429."""
    if user_id == other_id:
        raise Problem(422, "own_account", _("You can't chat with yourself."))
    people_access.person(other_id)
    contacts.touch(user_id, other_id)
    chat = Chat.objects.filter(pair=build_pair(user_id, other_id)).first()
    if chat and Member.objects.filter(chat=chat, user=user_id).exists():
        return chat
    if blocks.are_apart(user_id, other_id):
        raise Problem(403, "blocked", _("You can't write to this person."))
    if chat is None:
        members.charge_chat(user_id)
    return _open_pair(user_id, other_id)


def create_group(user_id: int, member_ids: Sequence[int], name: str = "") -> Chat:
    """A new group of this person and others. ValidationError, Problem 403, 404, 422, 429."""
    chat = Chat(name=name, creator_id=user_id)
    chat.clean_fields(exclude={"creator", "pair"})
    people = members.load_people(user_id, member_ids)
    if not people:
        raise ValidationError({"member_ids": _("Choose somebody to chat with.")})
    members.charge_chat(user_id)
    with transaction.atomic():
        chat.save(force_insert=True)
        ids = [user_id, *(person.pk for person in people)]
        Member.objects.bulk_create([Member(chat=chat, user_id=each) for each in ids])
        line = members.add_line(chat, user_id, Message.Kind.JOINED)
        members.notify_invited(chat.pk, user_id, ids)
        owed.run_after_commit(members.publish_joined, ids, chat.pk, 0)
        owed.run_after_commit(members.publish_lines, [line.pk])
    chat.refresh_from_db()
    return chat


def list_mine(user_id: int, cursor: str = "", words: str = "", *, size: int = PAGE_SIZE) -> ChatPage:
    """A page of a person's chats, of `words` in their titles if given; BadCursor."""
    silent_ids = chat_rows.list_silent(user_id)
    if words or cursor:
        rows = _query_shown(user_id, silent_ids)
        if words:
            rows = rows.filter(pk__in=_find_titled(rows, words))
        found = list((rows.filter(_after(cursor)) if cursor else rows)[: size + 1])
    else:
        found = _query_newest(size)(user_id, silent_ids)
    page = found[:size]
    following = _encode(page[-1]) if len(found) > size else None
    return ChatPage(chat_rows.build(user_id, page), following)


def _query_shown(user_id: int, silent_ids: list[int]) -> QuerySet[Any]:
    """A person's chats, the newest first."""
    # A chat of two without messages is shown to nobody: somebody only looked.
    has_messages = Q(chat__pair=None) | Q(chat__last_number__gt=F("joined_number"))
    rows = chat_rows.query(user_id, silent_ids).filter(has_messages)
    return rows.order_by("-chat__last_at", "-pk")


@cache
def _query_newest(size: int) -> CompiledQuery[[int, list[int]], Any]:
    @CompiledQuery
    def query(user_id: int, silent_ids: list[int]) -> QuerySet[Any, Any]:
        return _query_shown(user_id, silent_ids)[: size + 1]

    return query


def _find_titled(rows: QuerySet[Member], words: str) -> list[int]:
    """The rows whose title has the words, as people compare names: no database folds all of Unicode."""
    typed = characters.fold(words)
    titled = rows.order_by("-chat__last_at").values_list("pk", "chat__name", "partner__nickname")
    return [
        pk
        for pk, *titles in titled[:MAX_SEARCHED_CHATS]
        if any(typed in characters.fold(title or "") for title in titles)
    ]


@CompiledQuery
def _query_mine(user_id: int, silent_ids: list[int], chat_id: int) -> QuerySet[Any, Any]:
    return chat_rows.query(user_id, silent_ids).filter(chat=chat_id)


def get_mine(user_id: int, chat_id: int) -> ChatRow:
    """One of a person's chats; Problem 404."""
    rows = _query_mine(user_id, chat_rows.list_silent(user_id), chat_id)
    if not rows:
        raise access.not_found()
    return chat_rows.build(user_id, rows)[0]


def count_unread(user_id: int) -> int:
    """How many of a person's chats have news; muted ones don't count."""
    news = Message.objects.news_of_outer_member()
    return Member.objects.filter(Exists(news), user=user_id, is_muted=False).count()


def rename(user_id: int, chat_id: int, name: str) -> None:
    """Give a group another name. ValidationError, Problem 403 suspended, 404, 409."""
    member = access.group_member(user_id, chat_id)
    suspensions.require_may_write(member.user)
    chat = member.chat
    chat.name = name
    chat.clean_fields(exclude={"creator", "pair"})
    if not chat.name:
        raise ValidationError({"name": _("Write a name.")})
    with transaction.atomic():
        line = members.add_line(chat, user_id, Message.Kind.RENAMED, text=chat.name)
        Chat.objects.filter(pk=chat_id).update(name=chat.name)
        owed.run_after_commit(members.publish_lines, [line.pk])


def mute(user_id: int, chat_id: int, is_muted: bool) -> None:
    """Say whether a chat's news are counted in the header; Problem 404."""
    if not Member.objects.filter(chat=chat_id, user=user_id).update(is_muted=is_muted):
        raise access.not_found()
    on_commit.run_after_commit(unread.forget, user_id)


def _open_pair(user_id: int, other_id: int) -> Chat:
    pair = build_pair(user_id, other_id)
    with transaction.atomic():
        chat, is_new = Chat.objects.get_or_create(pair=pair, defaults={"creator_id": user_id})
        chat = Chat.objects.select_for_update(no_key=True).get(pk=chat.pk)
        ids = [(user_id, other_id), (other_id, user_id)] if is_new else [(user_id, other_id)]
        for mine, theirs in ids:
            last = chat.last_number
            numbers_seen = {"partner_id": theirs, "joined_number": last, "seen_number": last}
            Member.objects.get_or_create(chat=chat, user_id=mine, defaults=numbers_seen)
        mine_ids = [mine for mine, _other in ids]
        owed.run_after_commit(members.publish_joined, mine_ids, chat.pk, chat.last_number)
    return chat


def _encode(row: Any) -> str:
    return paging.encode(row.chat.last_at.isoformat(), row.pk, kind="chats")


def _after(cursor: str) -> Q:
    last_at, member_id = paging.decode(cursor, [str, int], kind="chats")
    return Q(chat__last_at__lt=last_at) | Q(chat__last_at=last_at, pk__lt=member_id)
