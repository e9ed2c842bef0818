"""A logging handler whose lines go to Redis: the newest of each logger and severity, and the most common.

A record costs a few microseconds and is never waited for: the thread that sends metrics sends it (sending).
The handler never raises. It drops and counts what comes while too much waits, and skips what that thread logs
itself: a failing Redis must not be logged to Redis.
"""

import logging
import re
import traceback
from collections import Counter, deque
from enum import IntEnum
from itertools import islice
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


class Waiting(NamedTuple):
    """A record that waits: when it was logged (unix seconds), by whom, how severe, what it says."""

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
#: A logger that hands nothing on to the root, and what its records would miss.
_APART = "uvicorn"


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
