"""Drift of notes, likes, follows, feeds and check-ins."""

from collections.abc import Callable
from types import SimpleNamespace as World

from django.db.models import F
from redis import Redis

from apps.blog import keys as notes
from apps.blog.models import Note
from apps.follows import keys as follows
from apps.follows.models import Standing
from apps.redis_kit.schema import Key
from apps.search import keys as suggestions
from apps.search.models import IndexEntry
from apps.shops import keys as shops
from apps.shops.models import Shop
from apps.signins import clock
from apps.signins import keys as check_ins
from apps.signins.models import Standing as CheckIns
from apps.signins.streaks import bitmaps, leaderboard
from tests.backoffice.drift.injected import Drift, plant

Inject = Callable[[World, Redis], object]
BOARDS = (check_ins.LEADERBOARD, check_ins.LEADERBOARD_COMPLETE)


def _likers(world: World) -> str:
    return notes.FIRST_LIKERS(note=world.note.pk)


def _liked(world: World) -> str:
    return notes.LIKED(user=world.reader.pk)


def _following(world: World) -> str:
    return follows.FOLLOWING(user=world.reader.pk)


def _inbox(world: World) -> str:
    return notes.FEED_INBOX(shard=world.reader.pk % 16, reader=world.reader.pk)


def _month(world: World) -> str:
    return bitmaps.month_key(world.reader.pk, clock.today().replace(day=1))


def _board(_world: World) -> str:
    return leaderboard.board_key(clock.today())


def _other_day(_world: World) -> int:
    return 0 if clock.today().day != 1 else 1


def _row(name: str, part: str, aspect: str, inject: Inject) -> Drift:
    # A mended standing is on its boards again, whose expiry begins anew; search orders by a note's counts.
    keys = BOARDS if part == "signins.check_ins" else ()
    return Drift(name, inject, part, aspect, keys, [IndexEntry] if part == "blog.notes" else ())


def _copy(name: str, part: str, aspect: str, key: Key, inject: Inject) -> Drift:
    return Drift(name, inject, part, aspect, [key, *(BOARDS if key is check_ins.LEADERBOARD else ())])


def _first_likers(name: str, inject: Inject) -> Drift:
    return _copy(name, "blog.notes", "first likers", notes.FIRST_LIKERS, inject)


def _planted(name: str, key: Key, find: Callable[[World], str], type_: str = "list") -> Drift:
    keys = [key, *(BOARDS if key is check_ins.LEADERBOARD else ())]
    return Drift(name, lambda w, s: plant(find(w), type_=type_), "keys.types", "type", keys)


NOTES = [
    _row("likes counted wrong", "blog.notes", "likes", lambda w, s: Note.objects.update(likes=9)),
    _row("comments counted wrong", "blog.notes", "comments", lambda w, s: Note.objects.update(comments=9)),
    _row("heat computed wrong", "blog.notes", "heat", lambda w, s: Note.objects.update(heat=F("heat") + 5)),
    Drift(
        "shop's rating",
        lambda w, s: Shop.objects.update(reviews=9),
        "blog.scores",
        "rating / reviews",
        [shops.FACTS, suggestions.SUGGEST_RECORDS],
        # Its change gives a shop another version.
        [Shop, IndexEntry],
    ),
    _first_likers("a like lost", lambda w, s: s.zrem(_likers(w), w.reader.pk)),
    _first_likers("a like forged", lambda w, s: s.zadd(_likers(w), {"99": 5})),
    _first_likers("a like at another time", lambda w, s: s.zincrby(_likers(w), 1_000_000, str(w.reader.pk))),
    _copy(
        "a person's like lost", "blog.notes", "liked", notes.LIKED, lambda w, s: s.srem(_liked(w), w.note.pk)
    ),
    _copy(
        "a note lost from a feed",
        "blog.feeds",
        "inbox",
        notes.FEED_INBOX,
        lambda w, s: s.zrem(_inbox(w), f"{w.note.pk:019d}"),
    ),
    _copy(
        "a note at another place of a feed",
        "blog.feeds",
        "inbox",
        notes.FEED_INBOX,
        lambda w, s: s.zincrby(_inbox(w), 1_000_000, f"{w.note.pk:019d}"),
    ),
    _planted("first likers of another type", notes.FIRST_LIKERS, _likers),
    _planted("a person's likes of another type", notes.LIKED, _liked),
    _planted("inbox of another type", notes.FEED_INBOX, _inbox),
]
FOLLOWS = [
    _row(
        "followers counted wrong",
        "follows.people",
        "counts",
        lambda w, s: Standing.objects.update(followers=9),
    ),
    _row("counts lost", "follows.people", "counts", lambda w, s: Standing.objects.all().delete()),
    _copy(
        "a follow forged",
        "follows.people",
        "set",
        follows.FOLLOWING,
        lambda w, s: s.sadd(_following(w), w.stranger.pk),
    ),
    _copy(
        "a follow lost",
        "follows.people",
        "set",
        follows.FOLLOWING,
        lambda w, s: s.srem(_following(w), w.author.pk),
    ),
    _planted("following of another type", follows.FOLLOWING, _following),
]
CHECK_INS = [
    _row("days counted wrong", "signins.check_ins", "totals", lambda w, s: CheckIns.objects.update(total=9)),
    _row("streak counted wrong", "signins.check_ins", "totals", lambda w, s: CheckIns.objects.update(best=9)),
    _row(
        "points counted wrong", "signins.check_ins", "totals", lambda w, s: CheckIns.objects.update(points=9)
    ),
    _copy(
        "a day forged",
        "signins.check_ins",
        "month",
        check_ins.CHECK_IN_MONTH,
        lambda w, s: s.setbit(_month(w), _other_day(w), 1),
    ),
    _copy(
        "a day lost",
        "signins.check_ins",
        "month",
        check_ins.CHECK_IN_MONTH,
        lambda w, s: s.setbit(_month(w), clock.today().day - 1, 0),
    ),
    _copy(
        "another streak on the leaderboard",
        "signins.check_ins",
        "leaderboard",
        check_ins.LEADERBOARD,
        lambda w, s: s.zadd(_board(w), {str(w.reader.pk): 99}),
    ),
    _copy(
        "a stranger on the leaderboard",
        "signins.check_ins",
        "leaderboard",
        check_ins.LEADERBOARD,
        lambda w, s: s.zadd(_board(w), {str(w.author.pk): 99}),
    ),
    _copy(
        "somebody lost from the leaderboard",
        "signins.check_ins",
        "leaderboard",
        check_ins.LEADERBOARD,
        lambda w, s: s.zrem(_board(w), w.reader.pk),
    ),
    _planted("month of another type", check_ins.CHECK_IN_MONTH, _month),
    _planted("leaderboard of another type", check_ins.LEADERBOARD, _board, type_="string"),
]
ALL = [*NOTES, *FOLLOWS, *CHECK_INS]
