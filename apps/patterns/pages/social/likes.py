"""Likes: the row counts once, and a copy of the first likers never outlives a change."""

from apps.blog import keys, like_copies
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, copies, scripts

ALICE, BOB, SECONDS = 1, 2, 60


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
    return [run.key("zset", "likers"), run.key("string", "lease")]


def _fill(run: Scratch, token: str, *likers: int) -> bool:
    """Fill the copy with what a reader read from SQL: each person by the second of their like."""
    elements = [one for at, person in enumerate(likers, start=100) for one in (at, person)]
    args: list[scripts.Arg] = [
        token,
        SECONDS,
        like_copies.FIRST_LIKERS.add_command,
        0,
        copies.COMPLETE_MEMBER,
        *elements,
    ]
    return copies.FILL_COPY(client.get(), keys=_names(run), args=args)


def _like_by_copy(run: Scratch) -> Outcome:
    copy, lease = _names(run)
    run.do("SET", lease, "slow", "EX", SECONDS)
    # Bob's like commits after the slow reader has read the rows: it deletes the copy and the lease.
    run.do("DEL", copy, lease)
    is_old_kept = _fill(run, "slow", ALICE)
    run.do("SET", lease, "next", "EX", SECONDS)
    is_filled = _fill(run, "next", ALICE, BOB)
    first = [int(one) for one in run.do("ZRANGE", copy, 1, -1)]
    sentence = Text(
        "A reader who had read before Bob's like could not fill the copy. The next one could: {first}.",
        "在 Bob 点赞前读过数据的人未能写入副本；下一个读者写入了，按顺序是 {first}。",
    )
    holds = is_filled and not is_old_kept and first == [ALICE, BOB]
    return Outcome(holds, sentence.fill(first=", ".join(map(str, first))))


def _naive_round(run: Scratch) -> None:
    person = run.next_number()
    if not run.do("SISMEMBER", run.key("set", "likers"), person):
        run.do("SADD", run.key("set", "likers"), person)
        run.do("INCR", run.key("string", "count"))


def _our_round(run: Scratch) -> None:
    run.do("DEL", *_names(run))


PATTERN = Pattern(
    slug="likes",
    title=Text("Likes", "点赞"),
    summary=Text(
        "A double tap is one like, and the first likers are shown in order.",
        "连点两下只算一个赞，最早的点赞者按顺序显示。",
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
            "A unique row in SQL counts once. Redis keeps a copy of the first five people: a sorted set by "
            "the microsecond of their like. A reader fills it under a lease; a change deletes both, so what "
            "was read before it is refused. A note with more than five likes keeps its copy while more come.",
            "SQL 中的唯一行只计一次。Redis 存最早五人的副本：按点赞微秒排序的有序集合。读者持租约写入；"
            "变化会同时删除副本和租约，变化前读到的数据写不进去。超过五个赞的笔记再被点赞时，副本保持不变。",
        ),
        _like_by_copy,
    ),
    scripts=(copies.FILL_COPY,),
    functions=(like_copies.first_likers_from_sql,),
    keys=(
        LiveKey(
            keys.FIRST_LIKERS, Text("who liked a note first, by time", "最早点赞的人，按时间"), is_public=True
        ),
        LiveKey(keys.LIKED, Text("what a person likes", "某人赞过的笔记"), is_public=True),
    ),
    compared=Comparison(
        about=Text("One like of a new person.", "一个新的人点一次赞。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One round trip a like; at most six members a note, and eight bytes for a note that a person likes.",
        "每个赞一个往返；每篇笔记最多六个成员，每人每个赞约八字节。",
    ),
    limits=Text(
        "A person's copy holds their last 1,000 likes; SQL answers for older ones. The next reader of a "
        "changed copy asks SQL once.",
        "个人副本保存最近 1,000 个赞，更早的由 SQL 回答。副本变化后，下一个读者会查一次 SQL。",
    ),
    sources=(Source("Redis in Action, chapter 1.3: Voting on articles"),),
)
