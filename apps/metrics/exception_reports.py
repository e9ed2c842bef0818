"""Takes secrets out of Django's error reports: the e-mails to ADMINS, and the debug page."""

import re
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from apps.metrics import redaction

_QUERY_VALUES = re.compile(r"(?<=[?&])([\w.-]+)=[^&\s;\"']+")


class ReportFilter(SafeExceptionReporterFilter):
    """Django's filter of settings, which also hides passwords in URLs and what a gateway's lines hold."""

    # The header fields and the body of text messages may hold a gateway's password under any name.
    hidden_settings = re.compile(
        f"{SafeExceptionReporterFilter.hidden_settings.pattern}|SMS_HTTP_(HEADERS|BODY)", re.IGNORECASE
    )

    def cleanse_setting(self, key: int | str, value: Any) -> Any:
        """The value without secrets; of a URL also without the values of its query."""
        cleansed = super().cleanse_setting(key, value)
        if not isinstance(cleansed, str):
            return cleansed
        text = redaction.redact(cleansed)
        return _QUERY_VALUES.sub(rf"\1={redaction.MARK}", text) if "://" in text else text


class Reporter(ExceptionReporter):
    """Django's reporter, whose whole report, messages of errors and variables too, is without secrets."""

    def get_traceback_text(self) -> SafeString:
        """The report as text, for e-mails."""
        return _redact_safe(super().get_traceback_text())

    def get_traceback_html(self) -> SafeString:
        """The report as a page."""
        return _redact_safe(super().get_traceback_html())


def _redact_safe(text: SafeString) -> SafeString:
    return mark_safe(redaction.redact(text))  # noqa: S308 - Django escaped it, and the marks are letters
