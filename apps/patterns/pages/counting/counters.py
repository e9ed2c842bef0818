"""Counters by time: every precision in one call, gathered for a second."""

from apps.metrics import counters, gathering, keys, samples
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, scripts

PRECISIONS, HITS = (1, 60, 3_600), 3


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
    """Add to every precision in one call, to the samples that the server's second falls into."""
    named = [run.key("zset", "counters"), run.key("zset", "timings"), run.key("hash", "sums")]
    named += [_sample(run, precision) for precision in PRECISIONS]
    fixed: list[scripts.Arg] = [" ".join(map(str, PRECISIONS)), keys.SAMPLES_KEPT + 1, PRECISIONS[-1]]
    samples.ADD_SAMPLES(client.get(), keys=named, args=[*fixed, 1, 0, "hits", hits])


def _count_together(run: Scratch) -> Outcome:
    for _ in range(2):
        _add(run, HITS)
    by_precision = [sum(map(int, run.do("HVALS", _sample(run, one)))) for one in PRECISIONS]
    sentence = Text(
        "{sent} hits, counted {counted} for {precisions}, each process in one call a second.",
        "{sent} 次访问，各精度（{precisions}）计得 {counted}，每个进程每秒一次调用。",
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
            "A process gathers its events and sends them once a second, in one script call for all counters "
            "and precisions. The script takes the time from the server and increments: no process "
            "overwrites another's, and no host's clock matters. A task removes old samples.",
            "进程先攒下事件，每秒用一次脚本调用发送全部计数器和精度。脚本取服务器的时间并自增：进程之间不会"
            "互相覆盖，主机时钟也无关紧要。旧样本由定时任务清除。",
        ),
        _count_together,
    ),
    scripts=(samples.ADD_SAMPLES, counters.CLEAN_COUNTER),
    functions=(gathering.count, samples.build_call, counters.read),
    keys=(
        LiveKey(
            keys.COUNTER,
            Text("events of a name, at one precision", "某一名称的事件，一个精度"),
            is_public=True,
            connection=keys.CONNECTION,
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
        "No round trip in a request. One call a second and process. About 7 KB a counter for 120 "
        "samples of seven precisions.",
        "请求里没有往返。每个进程每秒一次调用。七个精度各 120 个样本，每个计数器约 7 KB。",
    ),
    limits=Text(
        "A killed process loses the second that it had not sent. These are statistics; money is counted "
        "in SQL.",
        "被杀的进程会丢掉尚未发送的那一秒。这是统计；钱在 SQL 里算。",
    ),
    sources=(Source("Redis in Action, chapter 5.2: Counters and statistics"),),
)
