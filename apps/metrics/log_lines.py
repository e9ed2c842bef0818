"""Log lines in Redis: the newest of each logger and severity and the most common, written and read.

The handler costs a few microseconds a record and is never waited for: the thread that sends metrics sends its
lines (`sending`). It never raises. It drops and counts what comes while too much waits, and skips what that
thread logs itself: a failing Redis must not be logged to Redis.
"""

import logging
import re
import traceback
from collections import Counter, deque
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

import redis

from apps.metrics import gathering, keys, redaction
from apps.redis_kit import scripts

#: Records that may wait to be sent; at 10,000 a second they are there for a second.
MAX_WAITING_RECORDS = 20_000
#: Newest lines of each logger and severity, and characters of a line with its traceback.
MAX_LINES, MAX_LINE_LENGTH = 100, 2_000
#: Most common messages of an hour that are kept, and characters of a message's template.
MAX_MESSAGES, MAX_TEMPLATE_LENGTH = 500, 200
#: Loggers with a severity whose lines are kept.
MAX_LOGGERS = 200
#: Innermost calls of a traceback that a line shows.
MAX_FRAMES = 6
#: Records that were dropped, a counter.
LOST = "logs.lost"
_LINES_KEPT_SECONDS = int(keys.LINES_KEPT.total_seconds())
_MESSAGES_KEPT_SECONDS = int(keys.MESSAGES_KEPT.total_seconds())
#: A number by itself: one inside a token must stay for the redaction to see.
_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")

_PLACEHOLDER = re.compile(r"%(\(\w+\))?[-+ #0-9.]*[a-zA-Z]")
_WORD = re.compile(r"[^\W\d_]{2}")

#: A logger that hands nothing on to the root, and what its records would miss.
_APART = "uvicorn"
#: Severities by how grave they are, the gravest first.
SEVERITIES = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
_HOUR_SECONDS = 3_600


class Waiting(NamedTuple):
    """A record that waits: when it was logged (unix seconds), by which logger, how severe, what it says."""

    at: float
    logger: str
    severity: str
    template: str
    text: str


class LogAddition(IntEnum):
    """What `add_logs.lua` did."""

    BROKEN = -1
    ADDED = 1


ADD_LOGS = scripts.Script("add_logs", package="apps.metrics", reply=LogAddition)
_waiting: deque[Waiting] = deque()


class RecentLogHandler(logging.Handler):
    """Keeps records until they are sent; in a process that doesn't send metrics it keeps none."""

    def createLock(self) -> None:  # noqa: N802 - logging's own name
        """Without a lock: to append to a deque needs none, and a fork could inherit it locked."""
        self.lock = None

    def handle(self, record: logging.LogRecord) -> bool:
        """Keep a record; logging's own `handle`, which asks filters, needs a lock since Python 3.13."""
        self.emit(record)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        if not gathering.is_active or record.threadName == gathering.SENDING_THREAD:
            return
        if len(_waiting) >= MAX_WAITING_RECORDS:
            gathering.count(LOST)
            return
        try:
            _waiting.append(_read(record))
        except Exception:  # a line that can't be written must not end the work that it is about
            gathering.count(LOST)


_handler = RecentLogHandler()


def install() -> None:
    """Have all loggers of this process write to the handler, beside where they write already."""
    root, apart = logging.getLogger(), logging.getLogger(_APART)
    if not root.handlers:
        root.addHandler(_build_last_resort())
    root.addHandler(_handler)
    if not apart.propagate:
        apart.addHandler(_handler)


def note_start(role: str) -> None:
    """A line that the process has started, for the log page alone: restarts are worth knowing."""
    about = {"name": "savor", "levelno": logging.INFO, "levelname": "INFO"}
    _handler.handle(logging.makeLogRecord(about | {"msg": "a %s process has started", "args": (role,)}))


def uninstall() -> None:
    """Undo `install`, but for what it added in place of logging's last resort."""
    for name in ("", _APART):
        logging.getLogger(name).removeHandler(_handler)


def _build_last_resort() -> logging.Handler:
    """Warnings on standard error: logging writes them only without other handlers. Django has its own."""
    written = logging.StreamHandler()
    written.setLevel(logging.WARNING)
    written.addFilter(lambda record: not record.name.startswith("django"))
    return written


def _read(record: logging.LogRecord) -> Waiting:
    text = record.getMessage()
    if record.exc_info and record.exc_info[1]:
        error = record.exc_info[1]
        frames = traceback.format_exception(error, limit=-MAX_FRAMES)
        text = f"{text}\n{''.join(frames).rstrip()[-MAX_LINE_LENGTH:]}"
    logger, severity = gathering.as_name(record.name), gathering.as_name(record.levelname)
    template, text = redaction.hide(_read_template(record)), redaction.hide(text)
    return Waiting(record.created, logger, severity, template, text[: 2 * MAX_LINE_LENGTH])


def _read_template(record: logging.LogRecord) -> str:
    """The message without its arguments, by which like messages are counted."""
    template, arguments = str(record.msg), record.args
    if arguments and _WORD.search(_PLACEHOLDER.sub("", template)):
        return template
    # Django logs "%s: %s", of which the first argument says what happened. Texts without arguments that are
    # alike differ in their numbers most often.
    first = arguments[0] if isinstance(arguments, tuple) and arguments else template
    return _NUMBER.sub("#", str(first))


def add(connected: redis.Redis, taken: list[Waiting]) -> LogAddition:
    """Add records to those in Redis, in one call; raises what a call raises."""
    named, args = build_call(taken)
    return ADD_LOGS(connected, keys=named, args=args)


def take() -> list[Waiting]:
    """The records that wait, which are forgotten here."""
    return [_waiting.popleft() for _ in range(len(_waiting))]


def build_call(taken: list[Waiting]) -> scripts.Call:
    """(keys, args) of ADD_LOGS. Only lines that will be kept are redacted: it takes a while."""
    by_list: dict[str, deque[Waiting]] = {}
    messages: Counter[tuple[str, str, str]] = Counter()
    for one in taken:
        name = keys.log_name(one.severity, one.logger)
        by_list.setdefault(name, deque(maxlen=MAX_LINES)).append(one)
        messages[one.severity, one.logger, one.template[:MAX_TEMPLATE_LENGTH]] += 1
    kept = dict(islice(by_list.items(), MAX_LOGGERS))
    named = [keys.LOGGERS(), keys.MESSAGES(hour="this"), keys.MESSAGES(hour="last"), keys.MESSAGES_HOUR()]
    named += [keys.LOG(name=name) for name in kept]
    args: list[scripts.Arg] = [MAX_LINES, _LINES_KEPT_SECONDS, MAX_LOGGERS]
    args += [MAX_MESSAGES, _MESSAGES_KEPT_SECONDS]
    for name, lines in kept.items():
        args += [name, len(lines), *map(_line, lines)]
    for message, times in messages.most_common(MAX_MESSAGES):
        args += ["|".join((*message[:2], redaction.redact(message[2]))), times]
    return named, args


def _line(one: Waiting) -> str:
    return f"{one.at:.3f} {redaction.redact(one.text)[:MAX_LINE_LENGTH]}"


@dataclass(frozen=True)
class LogSource:
    """A logger and a severity of which there are lines."""

    severity: str
    logger: str


@dataclass(frozen=True)
class LogLine:
    """A line: its time, who logged it, how grave it is, its text; `details` is a traceback or ""."""

    at: datetime
    source: LogSource
    text: str
    details: str


@dataclass(frozen=True)
class CommonMessage:
    """A message without its arguments, and how often it came in an hour."""

    source: LogSource
    template: str
    times: int


def sources(connected: redis.Redis) -> list[LogSource]:
    """Every logger and severity with lines, by name."""
    names = [str(name) for name in connected.zrange(keys.LOGGERS(), 0, -1)]
    return sorted(map(_parse_source, names), key=attrgetter("logger", "severity"))


def newest(connected: redis.Redis, wanted: list[LogSource], *, most: int = MAX_LINES) -> list[LogLine]:
    """The newest lines of the given loggers and severities together, the newest first; one round trip."""
    with connected.pipeline(transaction=False) as pipe:
        for source in wanted:
            pipe.lrange(keys.LOG(name=keys.log_name(source.severity, source.logger)), 0, most - 1)
        found = pipe.execute()
    by_source = [
        [_parse_line(raw, source) for raw in lines] for source, lines in zip(wanted, found, strict=True)
    ]
    return list(islice(merge(*by_source, key=attrgetter("at"), reverse=True), most))


def most_common(connected: redis.Redis, hour: str, *, most: int = MAX_LINES) -> list[CommonMessage]:
    """The most common messages of "this" hour or the "last", the most common first."""
    with connected.pipeline(transaction=False) as pipe:
        scripts.READ_TIME.queue(pipe, keys=[keys.MESSAGES_HOUR()])
        pipe.get(keys.MESSAGES_HOUR())
        for each in ("this", "last"):
            pipe.zrange(keys.MESSAGES(hour=each), 0, most - 1, desc=True, withscores=True)
        now, began, *found = pipe.execute()
    passed = scripts.READ_TIME.parse(now)[0] // _HOUR_SECONDS - int(began or 0)
    # Nobody has logged since the hour ended, so nobody has rotated.
    by_hour = {0: {"this": found[0], "last": found[1]}, 1: {"this": [], "last": found[0]}}
    pairs = by_hour.get(passed, {}).get(hour, [])
    return [_parse_message(member, int(times)) for member, times in pairs]


def _parse_source(name: str) -> LogSource:
    severity, _, logger = name.partition("|")
    return LogSource(severity, logger)


def _parse_line(raw: str, source: LogSource) -> LogLine:
    at, _, text = raw.partition(" ")
    first, _, details = text.partition("\n")
    return LogLine(datetime.fromtimestamp(float(at), UTC), source, first, details)


def _parse_message(member: str, times: int) -> CommonMessage:
    severity, logger, template = member.split("|", 2)
    return CommonMessage(LogSource(severity, logger), template, times)
