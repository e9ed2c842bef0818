"""The tracing app: a span for each request of Django and each task, with their SQL and Redis below it.

By the SDK alone, without the packages that instrument Django, Celery and drivers from outside: they end no
span of a view that is broken off for its body (front.wsgi_bridge), so that later requests of its thread would
stand below it, and they send paths with their query, clients' addresses and the texts of errors. Here a span
has names, numbers and SQL with placeholders: nothing that a person wrote or is known by.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from celery import Task
from celery.signals import before_task_publish, task_postrun, task_prerun, worker_process_shutdown
from django.apps import AppConfig
from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from apps.front import observe, process_end
from apps.redis_kit import observers
from apps.redis_kit.observers import Exchange

#: Seconds for which the SDK's thread tries to send a batch; four batches may wait at a process's end.
SEND_SECONDS = 3
#: Characters of a statement: a long list of placeholders says nothing more.
MAX_SQL = 2_000
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
#: No statement of ours has a person's words in its text; should one, they stay here.
_LITERAL = re.compile(r"'[^']*(?:'|$)")
#: Of W3C Trace Context; without its baggage, which would carry a stranger's words into messages.
_propagator = TraceContextTextMapPropagator()
#: It makes spans of the provider that TracingConfig sets.
_tracer = trace.get_tracer("savor")
#: The spans of running tasks by the tasks' ids, and what ends them.
_tasks: dict[str, tuple[Span, ExitStack]] = {}


class TracingConfig(AppConfig):
    name = "apps.tracing"

    def ready(self) -> None:
        """Start the SDK in this process: its thread sends what others have put into a queue, or drops it.

        A forked child, which runs a worker's tasks, starts a thread of its own with an empty queue; nothing
        is sent before the fork, as its parent has no spans.
        """
        endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT.rstrip("/")
        exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=SEND_SECONDS)
        resource = Resource.create({"service.name": settings.OTEL_SERVICE_NAME})
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
        process_end.register(provider.shutdown)
        # A worker's child ends without Python's own exit.
        worker_process_shutdown.connect(lambda **_: provider.shutdown(), weak=False)
        observers.add_observer(RedisSpans())


class TracingMiddleware:
    """A span for each request, around all other middleware.

    It begins a trace: what a browser's `traceparent` says is not believed. A request whose long body is read
    after its head has two spans, of which the first has no status.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        method = request.method or ""
        # A stranger may write any word there.
        method = method if method in METHODS else "_OTHER"
        # Django making a page for the event loop, which serves it to everybody, is no request of anybody.
        kind = SpanKind.INTERNAL if observe.INTERNAL in request.META else SpanKind.SERVER
        with _tracing(method, kind) as span:
            response = self.get_response(request)
            route = request.resolver_match.route if request.resolver_match else ""
            if route:
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)
            span.set_attribute("http.request.method", method)
            span.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= 500:
                span.set_status(StatusCode.ERROR)
            return response


class RedisSpans:
    """Makes a span of each exchange with Redis that a request or a task waited for (redis_kit.observers)."""

    def before(self, exchange: Exchange) -> None: ...

    def after(self, exchange: Exchange) -> None:
        if not trace.get_current_span().is_recording():
            return
        names = [words[0].upper() for words in exchange.commands if words]
        ended = time.time_ns()
        span = _tracer.start_span(
            names[0] if len(names) == 1 else "PIPELINE",
            kind=SpanKind.CLIENT,
            start_time=ended - int(exchange.seconds * 1_000_000_000),
            attributes={
                "db.system.name": "redis",
                "db.operation.name": " ".join(dict.fromkeys(names)),
                "db.operation.batch.size": len(names),
                "savor.redis.connection": exchange.connection,
            },
        )
        if error := exchange.error or next(iter(exchange.refusals), None):
            _note_error(span, error)
        span.end(ended)


@before_task_publish.connect
def carry_trace(headers: dict[str, Any] | None = None, **_: object) -> None:
    """Put into a task's message of which request or task it is, if that one is traced."""
    if headers is not None:
        _propagator.inject(headers)


@task_prerun.connect
def begin_task(task_id: str, task: "Task[Any, Any]", **_: object) -> None:
    """Begin the span of a task's run, below the one that has sent it."""
    sent = {name: value for name in _propagator.fields if isinstance(value := task.request.get(name), str)}
    stack = ExitStack()
    span = stack.enter_context(_tracing(task.name, SpanKind.CONSUMER, _propagator.extract(sent)))
    _tasks[task_id] = span, stack


@task_postrun.connect
def end_task(task_id: str, state: str = "", retval: object = None, **_: object) -> None:
    """End the span of a task's run: SUCCESS, RETRY or FAILURE."""
    if task_id not in _tasks:
        return
    span, stack = _tasks.pop(task_id)
    span.set_attribute("savor.task.state", state)
    if state == "FAILURE":
        _note_error(span, retval)
    stack.close()


@contextmanager
def _tracing(name: str, kind: SpanKind, context: Context | None = None) -> Iterator[Span]:
    """A span for the time of the block, in this thread, below which stand SQL and Redis."""
    # An error's text may have values in it: "Key (phone)=(…) already exists".
    with (
        _tracer.start_as_current_span(
            name, context=context, kind=kind, record_exception=False, set_status_on_exception=False
        ) as span,
        connection.execute_wrapper(_run_statement),
    ):
        yield span


def _run_statement(
    execute: Callable[..., Any], sql: object, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Run a statement and make a span of it; for connection.execute_wrapper."""
    if not trace.get_current_span().is_recording():
        return execute(sql, params, many, context)
    text = _LITERAL.sub("'?'", sql[:MAX_SQL]) if isinstance(sql, str) else ""
    span = _tracer.start_span(
        (text.split(None, 1) or ["SQL"])[0].upper(),
        kind=SpanKind.CLIENT,
        attributes={"db.system.name": connection.vendor, "db.query.text": text},
    )
    try:
        return execute(sql, params, many, context)
    except Exception as error:
        _note_error(span, error)
        raise
    finally:
        span.end()


def _note_error(span: Span, error: object) -> None:
    """Say that it failed and by which class of error, without its text."""
    span.set_status(StatusCode.ERROR)
    span.set_attribute("error.type", type(error).__qualname__)
