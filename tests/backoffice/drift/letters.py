"""Drift of notifications, chats and log-ins."""

import json
from collections.abc import Callable
from types import SimpleNamespace as World
from typing import cast

from redis import Redis

from apps.accounts import keys as accounts
from apps.accounts.models import AccessToken
from apps.accounts.sessions import tokens
from apps.chat import keys as chats
from apps.chat.models import Chat, Member, Message
from apps.front import keys as live
from apps.mailbox import keys as mailbox
from apps.mailbox.models import Notification
from apps.redis_kit.schema import Key
from apps.siteconfig import keys as siteconfig
from apps.siteconfig.components import copies
from tests.backoffice.drift.injected import Drift, plant

Inject = Callable[[World, Redis], object]
#: A changed mailbox is told to the open pages of its person.
COPIED = (mailbox.HEAD, mailbox.NEWEST, live.EVENTS)


def _mail(name: str, aspect: str, inject: Inject) -> Drift:
    return Drift(f"mailbox: {name}", inject, "mailbox.notifications", aspect, COPIED)


def _login(name: str, inject: Inject) -> Drift:
    return Drift(f"log-in: {name}", inject, "accounts.logins", "copy", [accounts.TOKEN])


def _planted(name: str, key: Key, find: Callable[[World], str]) -> Drift:
    return Drift(name, lambda w, s: plant(find(w)), "keys.types", "type", [key])


def _head(world: World) -> str:
    return mailbox.HEAD(user=world.alice.pk)


def _newest(world: World) -> str:
    return mailbox.NEWEST(user=world.alice.pk)


def _unread(world: World, server: Redis) -> None:
    (text,) = server.lrange(_head(world), 0, -1)
    _count, reader = json.loads(text)
    server.lset(_head(world), 0, json.dumps([7, reader]))


def _post_untold(world: World, server: Redis) -> None:
    """A web process died between the commit and Redis."""
    Message.objects.create(chat=world.chat, number=3, author=world.alice, text="A crash after the commit")
    Chat.objects.filter(pk=world.chat.pk).update(last_number=3)


def _delete_event(world: World, server: Redis) -> None:
    key = chats.EVENTS(chat=world.chat.pk)
    entries = cast(list[tuple[str, object]], server.xrevrange(key, count=1))
    server.xdel(key, entries[0][0])


def _let_in(world: World, server: Redis) -> None:
    """Somebody logged out, and the copy lives on."""
    key = accounts.TOKEN(digest=world.digest)
    copy, left = server.get(key), server.ttl(key)
    tokens.revoke(AccessToken.objects.filter(digest=world.digest))
    server.set(key, str(copy), ex=left)


def _swap_person(world: World, server: Redis) -> None:
    key, other = accounts.TOKEN(digest=world.digest), accounts.TOKEN(digest=world.other)
    server.set(key, str(server.get(other)), keepttl=True)


def _token(world: World) -> str:
    return accounts.TOKEN(digest=world.digest)


MAILBOX = [
    _mail("another unread count", "unread", _unread),
    _mail("a notification lost", "newest", lambda w, s: s.rpop(_newest(w))),
    _mail("a notification forged", "newest", lambda w, s: s.rpush(_newest(w), s.lindex(_newest(w), 1) or "")),
    Drift(
        "mailbox: actors counted wrong",
        lambda w, s: Notification.objects.update(actor_count=9),
        "mailbox.notifications",
        "actors",
        COPIED,
    ),
    Drift(
        "mailbox: a broadcast lost",
        lambda w, s: s.rpop(mailbox.BROADCASTS()),
        "mailbox.notifications",
        "broadcasts",
        [mailbox.BROADCASTS],
    ),
    Drift(
        "mailbox: head of another type",
        lambda w, s: s.set(_head(w), "planted", ex=600),
        "keys.types",
        "type",
        [mailbox.HEAD],
    ),
]
CHATS = [
    Drift("chat: a message untold", _post_untold, "chat.chats", "told", [chats.EVENTS], [Chat, Message]),
    Drift("chat: an event deleted", _delete_event, "chat.chats", "told", [chats.EVENTS]),
    Drift(
        "chat: another last number",
        lambda w, s: Chat.objects.filter(pk=w.chat.pk).update(last_number=9),
        "chat.chats",
        "numbers",
    ),
    Drift(
        "chat: nobody in it",
        lambda w, s: Member.objects.filter(chat=w.group).delete(),
        "chat.chats",
        "members",
        [chats.EVENTS, chats.UNREAD],
        [Chat, Member, Message],
    ),
    _planted("chat: stream of another type", chats.EVENTS, lambda w: chats.EVENTS(chat=w.chat.pk)),
]
LOGINS = [
    _login("of somebody else", _swap_person),
    _login("refused", lambda w, s: s.set(_token(w), "gone:revoked", ex=600)),
    _login("never given out", lambda w, s: s.set(accounts.TOKEN(digest="f" * 64), "1:1:9:9", ex=600)),
    Drift(
        "log-in: ended, and let in",
        _let_in,
        "accounts.logins",
        "copy",
        [accounts.TOKEN, live.EVENTS],
        [AccessToken],
    ),
    _planted("log-in of another type", accounts.TOKEN, _token),
]
SETTINGS = [
    Drift(
        "settings that nobody made",
        lambda w, s: s.hset(siteconfig.SETTINGS(), mapping={copies.COMPLETE: "1", "limits": '3 {"x": 1}'}),
        "siteconfig.settings",
        "settings",
        [siteconfig.SETTINGS],
    ),
]
ALL = [*MAILBOX, *CHATS, *LOGINS, *SETTINGS]
