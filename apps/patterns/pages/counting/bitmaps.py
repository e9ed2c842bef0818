"""Bitmaps: a month of check-ins in 32 bits, from which every streak can be read."""

from datetime import date

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.signins import keys
from apps.signins.streaks import bitmaps, days

MONTH = date(2026, 11, 1)
CHECKED, MADE_UP = (1, 2, 4, 5), 3
TRUE_STREAK = 5


def _count_naively(run: Scratch) -> Outcome:
    state = run.key("hash", "streak")
    for day in CHECKED:
        last = int(run.do("HGET", state, "last") or 0)
        if last == day - 1:
            run.do("HINCRBY", state, "days", 1)
        else:
            run.do("HSET", state, "days", 1)
        run.do("HSET", state, "last", day)
    # Alice makes up the 3rd with points: the counter can't know what lies around it.
    counted = int(run.do("HGET", state, "days"))
    sentence = Text(
        "Days 1, 2, 4, 5, and the 3rd made up: the streak is {true} days, the counter says {shown}.",
        "第 1、2、4、5 天打卡，第 3 天补签：连续 {true} 天，计数器却是 {shown}。",
    )
    return Outcome(counted == TRUE_STREAK, sentence.fill(true=TRUE_STREAK, shown=counted))


def _read_streak(run: Scratch, month: str) -> int:
    (bits,) = run.do("BITFIELD", month, "GET", "u31", 0)
    streak = days.CheckInDays.from_masks({MONTH: bits}, until=MONTH).streak_at(MONTH.replace(day=CHECKED[-1]))
    return streak.length if streak else 0


def _count_by_bits(run: Scratch) -> Outcome:
    month = run.key("string", "month")
    for day in (*CHECKED, MADE_UP):
        run.do("SETBIT", month, day - 1, 1)
    length, size = _read_streak(run, month), run.do("STRLEN", month)
    sentence = Text(
        "The same days as bits, in {size} byte(s): the streak is {length} days, and checking in twice "
        "changes nothing.",
        "同样的日子用位表示，共 {size} 字节：连续 {length} 天，重复打卡不会改变什么。",
    )
    return Outcome(length == TRUE_STREAK, sentence.fill(size=size, length=length))


def _prepare(run: Scratch) -> None:
    for day in range(1, 29):
        run.do("SETBIT", run.key("string", "month"), day - 1, 1)
        run.do("SADD", run.key("set", "days"), f"2026-11-{day:02}")


def _naive_round(run: Scratch) -> None:
    run.do("SMEMBERS", run.key("set", "days"))


def _our_round(run: Scratch) -> None:
    _read_streak(run, run.key("string", "month"))


PATTERN = Pattern(
    slug="bitmaps",
    title=Text("Check-ins as bits", "用位图打卡"),
    summary=Text(
        "Four bytes a person and month; streaks are counted, never stored.",
        "每人每月四个字节；连续天数靠计算，不靠存储。",
    ),
    problem=Text(
        "Millions check in each day. The page shows the month, the streak and the best streak; days can be "
        "made up later.",
        "每天几百万人打卡。页面要显示这个月、连续天数和最长连续；漏掉的日子以后还能补签。",
    ),
    naive=Way(
        Text(
            "Keep a counter and the last day: yesterday counts on, else begin at one. A day that is made "
            "up later joins two streaks, and the counter has forgotten the first one.",
            "存计数器和最后一天：昨天打了就加一，否则从一开始。补签的一天会连起两段，而计数器已忘了前一段。",
        ),
        _count_naively,
    ),
    ours=Way(
        Text(
            "A bit for each day. BITFIELD reads a month as one number, and shifting counts the ones. "
            "Setting a bit twice changes nothing. The 32nd bit says that the month is complete; SQL has "
            "the same masks.",
            "每天一个位。BITFIELD 把一个月读成一个数，移位就能数出连续的 1。重复置位不会改变什么。"
            "第 32 位表示这个月完整；SQL 里有同样的掩码。",
        ),
        _count_by_bits,
    ),
    functions=(bitmaps.read_cached, days.CheckInDays.streak_at, days.CheckInDays.from_masks),
    keys=(
        LiveKey(
            keys.CHECK_IN_MONTH,
            Text("days of a month, then “complete”", "一个月的日子，最后一位是“完整”"),
            is_bits=True,
        ),
    ),
    compared=Comparison(
        about=Text(
            "A month of 28 days read: a set of dates, or one number, with its streak counted.",
            "读 28 天的一个月：日期的集合，或一个数（并算出连续天数）。",
        ),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "4 bytes of data in a key of about 80; a set of dates takes a kilobyte and more a month. Several "
        "months are one round trip.",
        "4 字节数据，键约 80 字节；日期集合每月要一千字节以上。几个月一次往返读完。",
    ),
    limits=Text(
        "A bitmap over user ids (one key a day) is good for “how many today”, and wasteful where few of "
        "many ids come: its size goes by the largest id.",
        "按用户编号的位图（每天一个键）适合“今天多少人”，但编号很多、来的人很少时很浪费：大小取决于最大编号。",
    ),
    sources=(
        Source("Redis documentation: Bitmaps", "https://redis.io/docs/latest/develop/data-types/bitmaps/"),
    ),
)
