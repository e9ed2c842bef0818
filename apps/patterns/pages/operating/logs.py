"""Logs: the newest lines and the most common messages of the hour, from many processes."""

from apps.metrics import keys, log_lines
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, scripts

MESSAGE, TIMES, HOUR = "ERROR|orders|order %s failed", 5, 3_600
MAX_LINES, MAX_MESSAGES = 100, 500


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


def _add(run: Scratch, hour: tuple[str, str, str], line: str) -> None:
    """Add a line and its message in one call, which begins a new hour when it is time."""
    this, last, began = hour
    named = [run.key("zset", "loggers"), this, last, began, run.key("list", "lines")]
    args: list[scripts.Arg] = [
        MAX_LINES,
        HOUR,
        1,
        MAX_MESSAGES,
        2 * HOUR,
        "ERROR|orders",
        1,
        line,
        MESSAGE,
        1,
    ]
    log_lines.ADD_LOGS(client.get(), keys=named, args=args)


def _rotate_in_script(run: Scratch) -> Outcome:
    this, last, began = hour = _start(run)
    # Two processes log after the hour is over; whichever call comes first rotates.
    for order in (17, 18):
        _add(run, hour, f"1700000000 order {order} failed")
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
    hour = run.key("zset", "this"), run.key("zset", "last"), run.key("string", "hour")
    _add(run, hour, "1700000000 order 17 failed")


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
            "One script call adds the lines and counts the messages. It looks at the server's hour first "
            "and rotates where a new one has begun, so the second process finds it done. Messages are "
            "grouped by their template, and tokens and phone numbers are taken out.",
            "一次脚本调用添加行并统计消息。它先看服务器的小时，新的一小时开始了就轮转，第二个进程来时已经做"
            "好。消息按模板归组，令牌和电话号码会被去掉。",
        ),
        _rotate_in_script,
    ),
    scripts=(log_lines.ADD_LOGS,),
    functions=(log_lines.build_call, log_lines.newest, log_lines.most_common),
    keys=(
        LiveKey(
            keys.MESSAGES,
            Text("the most common messages of an hour", "一小时内最常见的消息"),
            connection=keys.CONNECTION,
        ),
        LiveKey(
            keys.LOG,
            Text("the newest lines of a logger and severity", "某一记录器与级别的最新行"),
            connection=keys.CONNECTION,
        ),
    ),
    compared=Comparison(
        about=Text("One line and its message.", "一行日志及其消息。"),
        naive=_naive_round,
        ours=_our_round,
    ),
    costs=Text(
        "One call a second and process for all lines. The newest hundred lines and two hours of messages "
        "stay in memory.",
        "每个进程每秒一次调用发送所有行。内存里保留最新一百行和两小时的消息。",
    ),
    limits=Text(
        "A look at the present, not an archive: files keep everything. A logger must never wait for "
        "Redis: send from a thread, and drop and count what does not get through.",
        "只看当下，不是档案：全部日志由文件保存。记录器绝不能等 Redis：由线程发送，发不出去的丢弃并计数。",
    ),
    sources=(Source("Redis in Action, chapter 5.1: Logging to Redis"),),
)
