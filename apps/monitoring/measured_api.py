"""The JSON API of what the site measures; the project's API mounts it with its own authentication."""

from datetime import UTC, datetime
from hashlib import blake2b
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from apps.metrics import counters, keys, log_lines, timings
from apps.metrics.counters import Series
from apps.metrics.log_lines import CommonMessage, LogLine
from apps.metrics.timings import Timing
from apps.monitoring import measured
from apps.monitoring.measured import is_wanted
from apps.redis_kit import client
from apps.web import paging
from apps.web.problems import PlainDigits, documented

router = Router()
#: As the mount of this router refuses.
_PROBLEMS = documented.problems(
    {
        401: ["not_logged_in"],
        403: ["forbidden", "second_factor_required"],
        422: ["invalid", "bad_cursor"],
    }
)
Precision = Literal["1", "5", "60", "300", "3600", "18000", "86400"]
Samples = Annotated[int, Ge(1), Le(keys.SAMPLES_KEPT), PlainDigits]
Severity = Literal["", "CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG"]


class CounterOut(Schema):
    name: str
    precision: int = Field(description="seconds of a sample")
    starts_at: datetime = Field(description="when the first sample begins, UTC")
    counts: list[int] = Field(description="events in each sample, the newest last")
    total: int = Field(description="events in all of these samples")


class CountersOut(Schema):
    items: list[CounterOut]
    next: paging.Next


class SlowContextOut(Schema):
    kind: str = Field(description="view, verb, task or render")
    name: str
    count: int = Field(description="in this hour and the last")
    mean_ms: float = Field(description="milliseconds")
    deviation_ms: float = Field(description="standard deviation, in milliseconds")
    p50_ms: float = Field(description="milliseconds that half of them took at most")
    p95_ms: float = Field(description="milliseconds that 95 of a hundred took at most")
    p99_ms: float = Field(description="milliseconds that 99 of a hundred took at most")
    p999_ms: float = Field(description="milliseconds that 999 of a thousand took at most")
    min_ms: float = Field(description="milliseconds of the shortest")
    max_ms: float = Field(description="milliseconds of the longest")


class SlowContextsOut(Schema):
    items: list[SlowContextOut]
    next: paging.Next


class LogLineOut(Schema):
    at: datetime = Field(description="when it was written, UTC")
    severity: str = Field(description="CRITICAL, ERROR, WARNING, INFO or DEBUG")
    logger: str = Field(description="the part of the site that wrote it")
    text: str
    details: str = Field(description="a traceback, or nothing")


class LogLinesOut(Schema):
    items: list[LogLineOut]
    next: paging.Next


class CommonMessageOut(Schema):
    severity: str = Field(description="CRITICAL, ERROR, WARNING, INFO or DEBUG")
    logger: str = Field(description="the part of the site that wrote it")
    template: str = Field(description="the message without its arguments")
    count: int = Field(description="how often it was written in this hour")


class CommonMessagesOut(Schema):
    items: list[CommonMessageOut]
    next: paging.Next


@router.get(
    "/counters",
    operation_id="listCounters",
    response=CountersOut,
    summary="Counters of events",
    openapi_extra=_PROBLEMS,
)
def list_counters(
    request: HttpRequest,
    precision: Precision = "60",
    samples: Samples = 60,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
) -> dict[str, Any]:
    """Requests, claims by outcome, orders and the like, by name: the newest samples of each."""
    connected = client.get(keys.CONNECTION)
    page = paging.cut_list(counters.names(connected), key=str, kind="counters", cursor=cursor, size=size)
    found = counters.read(connected, page.items, precision=int(precision), samples=samples)
    return {"items": list(map(_build_counter, found)), "next": page.next}


@router.get(
    "/slowest",
    operation_id="listSlowest",
    response=SlowContextsOut,
    summary="The slowest views, inner work and tasks",
    openapi_extra=_PROBLEMS,
)
def list_slowest(
    request: HttpRequest,
    by: Literal["p99", "mean"] = "p99",
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
) -> dict[str, Any]:
    """The hundred slowest of this hour and the last, with percentiles."""
    found = timings.slowest(timings.read_all(client.get(keys.CONNECTION)), measured.ORDERS[by])
    page = paging.cut_list(
        found, key=lambda timing: timing.context, kind=f"slowest:{by}", cursor=cursor, size=size
    )
    return {"items": list(map(_build_context, page.items)), "next": page.next}


@router.get(
    "/log-lines",
    operation_id="listLogLines",
    response=LogLinesOut,
    summary="The newest lines of the log",
    openapi_extra=_PROBLEMS,
)
def list_log_lines(
    request: HttpRequest,
    severity: Severity = "",
    logger: Annotated[str, Field(max_length=200)] = "",
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
) -> dict[str, Any]:
    """The newest first, of a severity and a logger or of all."""
    connected = client.get(keys.CONNECTION)
    wanted = [source for source in log_lines.sources(connected) if is_wanted(source, severity, logger)]
    found, kind = log_lines.newest(connected, wanted), f"log:{severity}:{logger}"
    page = paging.cut_list(found, key=_key_of_line, kind=kind, cursor=cursor, size=size)
    return {"items": list(map(_build_line, page.items)), "next": page.next}


@router.get(
    "/common-messages",
    operation_id="listCommonMessages",
    response=CommonMessagesOut,
    summary="The most common messages of the log",
    openapi_extra=_PROBLEMS,
)
def list_common_messages(
    request: HttpRequest,
    hour: Literal["this", "last"] = "this",
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
) -> dict[str, Any]:
    """Of this hour or the last, the most common first."""
    found = log_lines.most_common(client.get(keys.CONNECTION), hour)
    kind = f"messages:{hour}"
    page = paging.cut_list(found, key=_key_of_message, kind=kind, cursor=cursor, size=size)
    return {"items": list(map(_build_message, page.items)), "next": page.next}


def _key_of_line(line: LogLine) -> str:
    return blake2b(repr(line).encode(), digest_size=12).hexdigest()


def _key_of_message(message: CommonMessage) -> str:
    return blake2b(repr((message.source, message.template)).encode(), digest_size=12).hexdigest()


def _build_counter(series: Series) -> dict[str, Any]:
    return {
        "name": series.name,
        "precision": series.precision,
        "starts_at": datetime.fromtimestamp(series.starts[0], UTC),
        "counts": series.counts,
        "total": series.total,
    }


def _build_context(timing: Timing) -> dict[str, Any]:
    durations = timing.durations
    return {
        "kind": timing.kind,
        "name": timing.name,
        "count": durations.count,
        "mean_ms": durations.mean * 1_000,
        "deviation_ms": durations.deviation * 1_000,
        "p50_ms": durations.percentile(0.5) * 1_000,
        "p95_ms": durations.percentile(0.95) * 1_000,
        "p99_ms": durations.percentile(0.99) * 1_000,
        "p999_ms": durations.percentile(0.999) * 1_000,
        "min_ms": durations.smallest / 1_000,
        "max_ms": durations.largest / 1_000,
    }


def _build_line(line: LogLine) -> dict[str, Any]:
    source = {"severity": line.source.severity, "logger": line.source.logger}
    return {"at": line.at, **source, "text": line.text, "details": line.details}


def _build_message(message: CommonMessage) -> dict[str, Any]:
    source = {"severity": message.source.severity, "logger": message.source.logger}
    return {**source, "template": message.template, "count": message.times}
