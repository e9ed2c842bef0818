"""The lines of loggers on standard error: as text or JSON, without secrets and usual refusals.

What people wrote commands no terminal that shows a line.
"""

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation

from apps.metrics import redaction
from apps.web import terminal_text

#: Answers that honest clients get all day; a scanner would fill the disk with its 404.
USUAL_STATUSES = {401, 404, 409, 410, 422, 429}
#: What Django logs with a traceback and answers 400 or 403.
FORESEEN_ERRORS = (SuspiciousOperation, PermissionDenied, BadRequest)
#: Of a kind of foreseen lines one is written in so many seconds.
FORESEEN_SECONDS = 1.0
#: Attribute of a record whose error is reported as an exception already (apps.error_reports).
REPORTED_MARK = "is_reported"


class StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what standard error is now: tests and supervisors replace it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, value: TextIO) -> None:
        """Nothing: logging sets what it was given."""


class UsualAnswersFilter(logging.Filter):
    """Drops django.request's lines about usual refusals."""

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "status_code", 0) not in USUAL_STATUSES


def is_foreseen(record: logging.LogRecord) -> bool:
    """Whether the line is about what any stranger can send: a wrong host, a page without the permission."""
    error = record.exc_info[1] if record.exc_info else None
    is_refusal = 400 <= getattr(record, "status_code", 0) < 500
    return is_refusal or getattr(record, "is_foreseen", False) or isinstance(error, FORESEEN_ERRORS)


class UnforeseenFilter(logging.Filter):
    """Drops lines about what any stranger can send: each would be an e-mail to ADMINS."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not is_foreseen(record)


class ForeseenLinesFilter(logging.Filter):
    """Keeps one line a second of each kind that any stranger can cause, untraced, and counts the others."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._lock = clock, threading.Lock()
        #: Of each kind: when its last line was written, and how many were left out since.
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if not is_foreseen(record):
            return True
        kind = record.name, record.levelname
        with self._lock:
            written_at, left_out = self._kinds.get(kind, (float("-inf"), 0))
            if self._clock() - written_at < FORESEEN_SECONDS:
                self._kinds[kind] = written_at, left_out + 1
                return False
            self._kinds[kind] = self._clock(), 0
        record.exc_info = record.exc_text = None
        if left_out:
            record.msg, record.args = f"{record.getMessage()} ({left_out} more were left out)", None
        return True


class TextFormatter(logging.Formatter):
    """A line of text for each record, its traceback below; secrets are taken out of both.

    Neither commands the terminal that shows it, and no message begins a line as a record does.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return redaction.redact(terminal_text.escape(super().format(record)))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging calls it so
        return super().formatMessage(record).replace("\n", "\n    ")


class JsonFormatter(logging.Formatter):
    """A JSON object a line: at (ISO 8601, UTC), level, logger, message, and perhaps status and trace."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": redaction.redact(terminal_text.escape(record.getMessage())),
        }
        if status := getattr(record, "status_code", None):
            line["status"] = status
        if record.exc_info and record.exc_info[0]:
            trace = terminal_text.escape(self.formatException(record.exc_info))
            line["trace"] = redaction.redact(trace)
        return json.dumps(line, ensure_ascii=False)
