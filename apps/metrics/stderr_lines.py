"""The lines of loggers on standard error: as text or JSON, without secrets and usual refusals.

What people wrote commands no terminal that shows a line.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

from apps.metrics import redaction
from apps.web import terminal_text

#: Answers that honest clients get all day; a scanner would fill the disk with its 404.
USUAL_STATUSES = {401, 404, 409, 410, 422, 429}


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
