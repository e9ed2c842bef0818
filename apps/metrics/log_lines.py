"""Reads the newest log lines, and the most common messages of this hour and the last."""

from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from operator import attrgetter

import redis

from apps.metrics import keys
from apps.metrics.log_handler import MAX_LINES
from apps.redis_kit import scripts

#: Severities by how grave they are, the gravest first.
SEVERITIES = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
_HOUR_SECONDS = 3_600


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
    """The newest lines of these loggers and severities together, the newest first; one round trip."""
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
