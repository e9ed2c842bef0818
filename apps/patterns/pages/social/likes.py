"""Likes: a change carries its time, so that late and repeated ones do no harm."""

from apps.blog import keys
from apps.blog.likes import like_copies
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client

ALICE, SECONDS = 1, 60


def _like_naively(run: Scratch) -> Outcome:
    likers, count = run.key("set", "likers"), run.key("string", "count")
    # A double tap: both requests look before either writes.
    taps = [run.do("SISMEMBER", likers, ALICE) == 0 for _ in range(2)]
    for _ in filter(None, taps):
        run.do("SADD", likers, ALICE)
        run.do("INCR", count)
    displayed, real = int(run.do("GET", count)), run.do("SCARD", likers)
    sentence = Text(
        "Alice tapped twice. The count says {shown}, but {real} person likes the note.",
        "Alice 连点两下。计数显示 {shown}，实际点赞的只有 {real} 人。",
    )
    return Outcome(displayed == real, sentence.fill(shown=displayed, real=real))


def _names(run: Scratch) -> list[str]:
    return [run.key("zset", "likes"), run.key("zset", "changes"), run.key("string", "lease")]


def _start_copy(run: Scratch) -> None:
    """A complete copy without likers, whose floor is the first microsecond."""
    run.do("ZADD", _names(run)[0], -1, like_copies.COMPLETE_MARK)


def _apply(run: Scratch, change: int, person: int = ALICE) -> int:
    args = [person, change, 0, SECONDS, SECONDS]
    return like_copies.APPLY_LIKE(client.get(), keys=_names(run), args=args)


def _like_by_script(run: Scratch) -> Outcome:
    _start_copy(run)
    taps = [_apply(run, 100), _apply(run, 100)]
    # An unlike of before arrives late: it was at 50, the like at 100.
    late = _apply(run, -50)
    likers = run.do("ZCARD", _names(run)[0]) - 1
    sentence = Text(
        "Two taps, {likers} liker. An older unlike that came late was refused ({late}).",
        "点了两下，点赞者 {likers} 人。迟到的旧取消被拒绝（{late}）。",
    )
    holds = taps == [1, 1] and likers == 1 and late == like_copies.ApplyResult.OLDER
    return Outcome(holds, sentence.fill(likers=likers, late=late))


def _naive_round(run: Scratch) -> None:
    person = run.next_number()
    if not run.do("SISMEMBER", run.key("set", "likers"), person):
        run.do("SADD", run.key("set", "likers"), person)
        run.do("INCR", run.key("string", "count"))


def _our_round(run: Scratch) -> None:
    person = run.next_number()
    _apply(run, 100 + person, person)


PATTERN = Pattern(
    slug="likes",
    title=Text("Likes", "点赞"),
    summary=Text(
        "A double tap is one like, and a late unlike takes nothing away.",
        "连点两下只算一个赞，迟到的取消不会误删。",
    ),
    problem=Text(
        "Thousands like a note within minutes. Each counts once, the first likers are shown in order, and "
        "taps arrive twice or in the wrong order.",
        "几分钟内成千上万人点赞。每人只算一次，要按顺序显示最早的点赞者，而点击会重复、会乱序到达。",
    ),
    naive=Way(
        Text(
            "Look whether the person is in the set; if not, SADD and INCR a count. Two taps at once both "
            "look first. The count and the set part for ever.",
            "看看这个人在不在集合里；不在就 SADD，再 INCR 计数。两次点击都先看，计数与集合从此对不上。",
        ),
        _like_naively,
    ),
    ours=Way(
        Text(
            "SQL has the rows. Redis keeps a copy: a sorted set of people by the microsecond of their "
            "like. apply_like.lua refuses a change that is older than one it knows. The count is the size "
            "of the set.",
            "行在 SQL 里。Redis 存副本：按点赞微秒排序的有序集合。apply_like.lua 拒绝比已知更旧的变化。"
            "数量就是集合的大小。",
        ),
        _like_by_script,
    ),
    scripts=(like_copies.APPLY_LIKE,),
    functions=(like_copies.apply_change,),
    keys=(
        LiveKey(keys.LIKES, Text("who likes a note, by time", "谁点了赞，按时间"), is_public=True),
        LiveKey(keys.LIKE_CHANGES, Text("newest changes", "最近的变化"), is_public=True),
    ),
    compared=Comparison(
        about=Text("One like of a new person.", "一个新的人点一次赞。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_start_copy,
    ),
    costs=Text("One round trip a like; about 90 bytes a liker.", "每个赞一个往返；每个点赞者约 90 字节。"),
    limits=Text(
        "A note with a million likes has a copy of 90 MB, which expires 30 days after the last look. Two "
        "hosts whose clocks differ ask SQL.",
        "一百万个赞的笔记，副本约 90 MB，最后一次查看 30 天后过期。两台主机时钟不一致时以 SQL 为准。",
    ),
    sources=(Source("Redis in Action, chapter 1.3: Voting on articles"),),
)
