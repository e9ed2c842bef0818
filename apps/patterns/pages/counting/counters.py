"""Counters by time: every precision in one call, gathered for a second."""

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import cache_entries, client, keys, transport

PRECISIONS, HITS = (1, 60, 3_600), 3
SAMPLES_KEPT = 120


def _sample(run: Scratch, precision: int) -> str:
    return run.key("hash", f"counter-{precision}")


def _count_naively(run: Scratch) -> Outcome:
    # Two processes counted three hits each; both read every sample before either writes.
    seen = [[int(run.do("HGET", _sample(run, one), 0) or 0) for one in PRECISIONS] for _ in range(2)]
    for before in seen:
        for precision, number in zip(PRECISIONS, before, strict=True):
            run.do("HSET", _sample(run, precision), 0, number + HITS)
    counted = int(run.do("HGET", _sample(run, PRECISIONS[0]), 0))
    sentence = Text(
        "{sent} hits came, the counter says {counted}, after {trips} round trips.",
        "来了 {sent} 次访问，计数器是 {counted}，用了 {trips} 个往返。",
    )
    return Outcome(
        counted == 2 * HITS, sentence.fill(sent=2 * HITS, counted=counted, trips=4 * len(PRECISIONS))
    )


def _add(run: Scratch, hits: int) -> None:
    """Add to every precision in one exchange, to the samples that the server's second falls into."""
    now = int(run.do("TIME")[0])
    commands: list[transport.Command] = []
    for precision in PRECISIONS:
        sample = _sample(run, precision)
        commands += [
            ("HINCRBY", sample, now - now % precision, hits),
            ("EXPIRE", sample, precision * SAMPLES_KEPT),
        ]
    transport.execute_many(client.get(), commands)


def _count_together(run: Scratch) -> Outcome:
    for _ in range(2):
        _add(run, HITS)
    by_precision = [sum(map(int, run.do("HVALS", _sample(run, one)))) for one in PRECISIONS]
    sentence = Text(
        "{sent} hits, counted {counted} for {precisions}, each process in one exchange a second.",
        "{sent} 次访问，各精度（{precisions}）计得 {counted}，每个进程每秒一个往返。",
    )
    named = ", ".join(f"{precision} s" for precision in PRECISIONS)
    filled = sentence.fill(sent=2 * HITS, counted=by_precision, precisions=named)
    return Outcome(by_precision == [2 * HITS] * len(PRECISIONS), filled)


def _naive_round(run: Scratch) -> None:
    for precision in PRECISIONS:
        before = int(run.do("HGET", _sample(run, precision), 0) or 0)
        run.do("HSET", _sample(run, precision), 0, before + 1)


def _our_round(run: Scratch) -> None:
    _add(run, 1)


PATTERN = Pattern(
    slug="counters",
    title=Text("Counters by time", "按时间计数"),
    summary=Text(
        "Hits a second, a minute, a day: all precisions in one call, once a second.",
        "每秒、每分钟、每天的访问：所有精度一次调用，每秒一次。",
    ),
    problem=Text(
        "Operators want to see hits, claims and log-ins of the last two minutes and of the last month. "
        "Counting may cost a request next to nothing.",
        "运维想看最近两分钟和最近一个月的访问、抢购、登录。计数对每个请求来说几乎不能有花费。",
    ),
    naive=Way(
        Text(
            "For each precision read the sample, add, write it back. Two processes overwrite each other, "
            "and each request waits for many round trips.",
            "对每个精度读出样本、加、写回。两个进程互相覆盖，每个请求还要等许多往返。",
        ),
        _count_naively,
    ),
    ours=Way(
        Text(
            "A process gathers its events and sends them once a second: HINCRBY for each precision, in one "
            "exchange. An increment reads and writes in one step, so no process overwrites another's.",
            "进程先攒下事件，每秒发送一次：每个精度一条 HINCRBY，一次交换。自增是一步读写，进程之间不会互"
            "相覆盖。",
        ),
        _count_together,
    ),
    functions=(cache_entries.Entries.count, cache_entries.Entries.counts, transport.execute_many),
    keys=(
        LiveKey(
            keys.CACHE_COUNTS,
            Text("hits, misses and loads of one cache", "一个缓存的命中、未命中与加载次数"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text(
            "One event at three precisions. The site sends a second's events together.",
            "一个事件，三个精度。本站把一秒内的事件一起发送。",
        ),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "No round trip in a request. One exchange a second and process. About 7 KB a counter for 120 "
        "samples of seven precisions.",
        "请求里没有往返。每个进程每秒一次交换。七个精度各 120 个样本，每个计数器约 7 KB。",
    ),
    limits=Text(
        "A killed process loses the second that it had not sent. These are statistics; money is counted "
        "in SQL.",
        "被杀的进程会丢掉尚未发送的那一秒。这是统计；钱在 SQL 里算。",
    ),
    sources=(Source("Redis in Action, chapter 5.2: Counters and statistics"),),
)
