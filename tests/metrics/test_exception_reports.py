"""What Django's reports of errors say of settings and variables: e-mails to ADMINS, and the debug page."""

import sys
from types import TracebackType

import pytest
from django.core import mail
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from apps.metrics.exception_reports import Reporter, ReportFilter

#: Put together, so that no line of this file that a report quotes has it.
PASSWORD = "winter" + "morning"
#: A setting, and its value with the password in it.
SECRETS = {
    "REDIS_URL": f"redis://savor:{PASSWORD}@h1:6379/0",
    "LOCK_REDIS_URLS": [
        f"redis://:p@{PASSWORD}@h1:1",
        f"redis+sentinel://h:1/0?sentinel_password={PASSWORD},{PASSWORD}",
    ],
    "REDIS_CONNECTIONS": {"default": {"url": f"redis://savor:{PASSWORD}@h1:6379/0"}},
    "CELERY_BROKER_URL": f"sentinel://:{PASSWORD}@h1:1;sentinel://:{PASSWORD}@h2:1",
    "SMS_HTTP_URL": f"https://gateway.example/send?account={PASSWORD}",
    "SMS_HTTP_HEADERS": {"X-Gateway": PASSWORD},
}


def fail() -> tuple[type[BaseException], BaseException, TracebackType]:
    url, options = f"redis://savor:{PASSWORD}@h1", {"url": f"redis://:{PASSWORD}@h1"}
    try:
        raise ConnectionError(f"{url} and {options}")
    except ConnectionError:
        kind, error, trace = sys.exc_info()
        assert kind
        assert error
        assert trace
        return kind, error, trace


@pytest.mark.parametrize("name", SECRETS)
def test_a_setting_is_reported_without_passwords(name: str) -> None:
    cleansed = repr(ReportFilter().cleanse_setting(name, SECRETS[name]))
    assert PASSWORD not in cleansed


def test_a_report_has_no_password_of_settings_and_variables(settings: Settings) -> None:
    for name, value in SECRETS.items():
        setattr(settings, name, value)
    reporter = Reporter(RequestFactory().get("/"), *fail())
    for report in (reporter.get_traceback_text(), reporter.get_traceback_html()):
        assert "REDIS_URL" in report
        assert PASSWORD not in report


@pytest.mark.django_db
def test_an_e_mail_to_admins_has_no_password(
    settings: Settings, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ADMINS, settings.REDIS_URL = [("", "root@example.org")], SECRETS["REDIS_URL"]
    client.raise_request_exception = False

    def break_log_in(*args: object, **options: object) -> None:
        raise ConnectionError(settings.REDIS_URL)

    monkeypatch.setattr("django.contrib.auth.views.LoginView.dispatch", break_log_in)
    assert client.get("/admin/login/").status_code == 500
    [message] = mail.outbox
    assert "Traceback" in message.body
    assert "REDIS_URL" in message.body
    assert PASSWORD not in message.body
