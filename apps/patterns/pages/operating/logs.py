"""Logs: the newest lines and the most common messages of the hour, from many processes."""

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.queues import delayed, failure_counts, keys
from apps.redis_kit import client, transport

MESSAGE, TIMES, HOUR, SECONDS = "ERROR|orders|order %s failed", 5, 3_600, 60
MAX_LINES = 100


def _last_hour(run: Scratch) -> int:
    """The hour before this one, by the server's clock."""
    return int(run.do("TIME")[0]) // HOUR - 1


def _start(run: Scratch) -> tuple[str, str, str]:
    """An hour with five errors that has just ended."""
    this, last, hour = run.key("zset", "this"), run.key("zset", "last"), run.key("string", "hour")
    run.do("ZADD", this, TIMES, MESSAGE)
    run.do("SET", hour, _last_hour(run))
    return this, last, hour


def _rotate_naively(run: Scratch) -> Outcome:
    this, last, hour = _start(run)
    # Two processes find that the hour is over, and each rotates and adds its message.
    seen = [int(run.do("GET", hour)) for _ in range(2)]
    for before in seen:
        run.do("RENAME", this, last)
        run.do("SET", hour, before + 1)
        run.do("ZINCRBY", this, 1, MESSAGE)
    kept = int(run.do("ZSCORE", last, MESSAGE))
    sentence = Text(
        "The last hour had {times} errors; after both rotated it has {kept}.",
        "上一小时有 {times} 个错误；两个进程都轮转之后只剩 {kept} 个。",
    )
    return Outcome(kept == TIMES, sentence.fill(times=TIMES, kept=kept))


def _add(run: Scratch, line: str) -> str:
    """Add a line and its message; the hour is a part of the key, so that nobody has to rotate."""
    hour = int(run.do("TIME")[0]) // HOUR
    messages, lines = run.key("zset", f"messages-{hour}"), run.key("list", "lines")
    commands: list[transport.Command] = [
        ("LPUSH", lines, line),
        ("LTRIM", lines, 0, MAX_LINES - 1),
        ("ZINCRBY", messages, 1, MESSAGE),
        ("EXPIRE", messages, 2 * HOUR),
    ]
    transport.execute_many(client.get(), commands)
    return messages


def _count_by_hour(run: Scratch) -> Outcome:
    last = run.key("zset", f"messages-{_last_hour(run)}")
    run.do("ZADD", last, TIMES, MESSAGE)
    this = [_add(run, f"1700000000 order {order} failed") for order in (17, 18)][-1]
    kept, new = (int(run.do("ZSCORE", one, MESSAGE)) for one in (last, this))
    lines = run.do("LLEN", run.key("list", "lines"))
    sentence = Text(
        "The last hour keeps its {kept} errors, this one has {new}: “order 17” and “order 18” are one "
        "message. {lines} lines are there to read.",
        "上一小时保留 {kept} 个错误，这一小时 {new} 个：“order 17”与“order 18”是同一条消息。可读的行有 "
        "{lines} 条。",
    )
    holds = (kept, new, lines) == (TIMES, 2, 2)
    return Outcome(holds, sentence.fill(kept=kept, new=new, lines=lines))


def _naive_round(run: Scratch) -> None:
    run.do("LPUSH", run.key("list", "naive-lines"), "1700000000 order 17 failed")
    run.do("LTRIM", run.key("list", "naive-lines"), 0, MAX_LINES - 1)
    run.do("GET", run.key("string", "naive-hour"))
    run.do("ZINCRBY", run.key("zset", "naive-messages"), 1, MESSAGE)


def _our_round(run: Scratch) -> None:
    _add(run, "1700000000 order 17 failed")


PATTERN = Pattern(
    slug="logs",
    title=Text("Logs that one can look at", "看得见的日志"),
    summary=Text(
        "The newest hundred lines and the most common messages of the hour, from all processes.",
        "所有进程的最新一百行，以及一小时内最常见的消息。",
    ),
    problem=Text(
        "Something fails on one of many hosts. Operators want the newest lines and what comes most "
        "often, at once, without opening files, and logging may never slow a request.",
        "许多主机中的一台出了错。运维想立刻看到最新的行和最常见的消息，不去翻文件，而且记日志绝不能拖慢请"
        "求。",
    ),
    naive=Way(
        Text(
            "LPUSH and LTRIM for the lines, ZINCRBY for the messages, and RENAME when the hour is over. Two "
            "processes that notice it together rename twice: the second throws the hour away.",
            "行用 LPUSH 加 LTRIM，消息用 ZINCRBY，整点用 RENAME。两个进程同时发现整点就改名两次：第二次把"
            "那一小时丢了。",
        ),
        _rotate_naively,
    ),
    ours=Way(
        Text(
            "The hour is a part of the key: nothing is renamed, and an old hour expires by itself. A "
            "line, its bound and its message travel in one exchange. Messages are grouped by their "
            "template. The site counts failed tasks so.",
            "小时写在键名里：什么都不用改名，旧的小时自己过期。一行、它的上限和它的消息在一次交换里发送。"
            "消息按模板归组。本站就这样统计失败的任务。",
        ),
        _count_by_hour,
    ),
    functions=(failure_counts.count_failure, failure_counts.read_recent),
    keys=(
        LiveKey(
            keys.HOURLY_FAILURES,
            Text("failed tasks of an hour", "一小时内失败的任务"),
            connection=delayed.BROKER_CONNECTION,
        ),
    ),
    compared=Comparison(
        about=Text("One line and its message.", "一行日志及其消息。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One exchange for a line. The newest hundred lines and two hours of messages stay in memory.",
        "每行一次交换。内存里保留最新一百行和两小时的消息。",
    ),
    limits=Text(
        "A look at the present, not an archive: files keep everything. A logger must never wait for "
        "Redis: send from a thread, and drop and count what does not get through.",
        "只看当下，不是档案：全部日志由文件保存。记录器绝不能等 Redis：由线程发送，发不出去的丢弃并计数。",
    ),
    sources=(Source("Redis in Action, chapter 5.1: Logging to Redis"),),
)
