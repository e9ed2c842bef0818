"""Settings of logging: warnings and worse of every logger go to standard error, in every mode."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.environment import env

FORMATTERS = {
    "text": {"()": "apps.metrics.stderr_lines.TextFormatter"},
    "json": {"()": "apps.metrics.stderr_lines.JsonFormatter"},
}
#: "text", or "json" for programs that collect lines.
LOG_FORMAT = env.str("LOG_FORMAT", default="text")
if LOG_FORMAT not in FORMATTERS:
    raise ImproperlyConfigured(f"LOG_FORMAT is {LOG_FORMAT!r}: set it to text or json.")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": FORMATTERS,
    "filters": {
        "usual": {"()": "apps.metrics.stderr_lines.UsualAnswersFilter"},
        "require_debug_false": {"()": "django.utils.log.RequireDebugFalse"},
    },
    "handlers": {
        "stderr": {
            "class": "apps.metrics.stderr_lines.StderrHandler",
            "formatter": LOG_FORMAT,
            "filters": ["usual"],
            "level": "WARNING",
        },
        # Django's own: tells ADMINS of answers 500.
        "mail_admins": {
            "class": "django.utils.log.AdminEmailHandler",
            "filters": ["require_debug_false"],
            "level": "ERROR",
        },
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        # With django.request and django.security below it; they go on to the root.
        "django": {"handlers": ["mail_admins"], "level": "INFO"},
        # uvicorn hands nothing on.
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "uvicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
    },
}
# The workers write as the other processes do; what they print is no log line.
CELERY_WORKER_HIJACK_ROOT_LOGGER = CELERY_WORKER_REDIRECT_STDOUTS = False
