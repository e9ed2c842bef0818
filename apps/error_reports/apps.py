"""The error_reports app: starts Sentry's client in each process that loads the site's applications."""

from typing import Any, cast

import sentry_sdk
from django.apps import AppConfig
from django.conf import settings
from sentry_sdk.integrations.atexit import AtexitIntegration
from sentry_sdk.integrations.celery import CeleryIntegration
from sentry_sdk.integrations.dedupe import DedupeIntegration
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.integrations.excepthook import ExcepthookIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.integrations.threading import ThreadingIntegration

from apps.error_reports.scrubbing import scrub
from apps.front.wsgi_bridge import BodyWanted


class ErrorReportsConfig(AppConfig):
    name = "apps.error_reports"

    def ready(self) -> None:
        # Reports are sent by a thread of their own, from a queue of a hundred; past that they are dropped.
        sentry_sdk.init(
            dsn=settings.SENTRY_DSN,
            # It is a plain dictionary to us; its type names every field that Sentry knows.
            before_send=cast(Any, scrub),
            # Errors of what the event loop answers arrive by their log lines: Sentry's ASGI middleware would
            # copy a scope for each claim, of which a core answers 20,000 a second.
            default_integrations=False,
            auto_enabling_integrations=False,
            integrations=[
                DjangoIntegration(middleware_spans=False, signals_spans=False),
                CeleryIntegration(propagate_traces=False),
                LoggingIntegration(level=None),
                ThreadingIntegration(propagate_scope=False),
                ExcepthookIntegration(),
                DedupeIntegration(),
                AtexitIntegration(callback=lambda _pending, _seconds: None),
            ],
            # Nothing but errors: no timings, no sessions, nothing of the lines before one.
            traces_sample_rate=None,
            auto_session_tracking=False,
            send_client_reports=False,
            max_breadcrumbs=0,
            # How a view says that it wants the body of an upload.
            ignore_errors=[BodyWanted],
            # Nothing of people: no cookies, addresses and users, no bodies, no values of a function's names.
            send_default_pii=False,
            max_request_body_size="never",
            include_local_variables=False,
        )
