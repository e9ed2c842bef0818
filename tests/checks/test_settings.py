"""Production refuses to start when it would give secrets away, and says why."""

import importlib
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

import config
from apps.accounts.sessions import cookies
from config import private_files
from config.environment import Environment
from tests.checks import sources
from tests.checks.sources import ROOT

STRONG = "a-strong-key-" + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"


def load(**environment: str) -> ModuleType:
    """The settings as a process loads them in which only these variables are set."""
    clean = {"VAR_DIR": os.environ["VAR_DIR"]} | environment
    with mock.patch.dict(os.environ, clean, clear=True), unloaded_config():
        return importlib.import_module("config.settings")


@contextmanager
def unloaded_config() -> Iterator[None]:
    """Let the modules of config/ be imported once more, and put those back that run."""
    running = config_modules()
    for name in running:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in config_modules():
            del sys.modules[name]
        sys.modules.update(running)
        # Importing a module also made it an attribute of its package.
        for name, module in running.items():
            package, _, own = name.rpartition(".")
            setattr(sys.modules[package], own, module)


def config_modules() -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if name.startswith("config.")}


def refusal(**environment: str) -> str:
    """The sentence with which the settings refuse these variables."""
    with pytest.raises(ImproperlyConfigured) as refused:
        load(**environment)
    return str(refused.value)


def test_loading_leaves_the_settings_that_run() -> None:
    modules, variables, package = config_modules(), dict(os.environ), dict(vars(config))
    assert load(SECRET_KEY=STRONG) is not modules["config.settings"]
    refusal()
    assert (config_modules(), dict(os.environ), vars(config)) == (modules, variables, package)


def test_a_strong_key_is_enough_for_production() -> None:
    assert load(SECRET_KEY=STRONG).PRODUCTION


@pytest.mark.parametrize(("secure", "name"), [("1", "__Host-savor_token"), ("0", "savor_token")])
def test_the_log_in_cookie_belongs_to_one_host_where_https_is_demanded(
    secure: str, name: str, settings: Settings
) -> None:
    settings.HOST_COOKIE_PREFIX = load(SECRET_KEY=STRONG, SECURE=secure).HOST_COOKIE_PREFIX
    assert runpy.run_path(cookies.__file__)["TOKEN_COOKIE"] == name


def test_the_demo_needs_no_key() -> None:
    assert not load(DEMO="1").PRODUCTION


def test_production_needs_a_key() -> None:
    assert "SECRET_KEY is missing or weak" in refusal()


def test_a_short_key_is_weak() -> None:
    assert "SECRET_KEY is missing or weak" in refusal(SECRET_KEY="0123456789abcdef")


def test_a_long_key_of_few_characters_is_weak() -> None:
    assert "SECRET_KEY is missing or weak" in refusal(SECRET_KEY="ab" * 40)


def test_the_development_key_is_weak() -> None:
    known = "development-only-key-that-production-refuses-to-start-with"
    assert "SECRET_KEY is missing or weak" in refusal(SECRET_KEY=known)


@pytest.mark.parametrize(
    "key",
    [
        "django-insecure-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH",
        "change-me-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
        "abcdefghijklmnop" * 4,
    ],
)
def test_a_key_out_of_a_tutorial_is_weak(key: str) -> None:
    assert "SECRET_KEY is missing or weak" in refusal(SECRET_KEY=key)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRUSTED_PROXIES", "-1"),
        ("TRUSTED_PROXIES", "99"),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "savor.example, *"),
        ("ALLOWED_HOSTS", "*.example"),
        ("CSRF_TRUSTED_ORIGINS", "https://*"),
        ("CSRF_TRUSTED_ORIGINS", "https://savor.example,https://*.example"),
    ],
)
def test_strangers_are_not_trusted(name: str, value: str) -> None:
    for mode in ({"SECRET_KEY": STRONG}, {"DEMO": "1"}, {"DEBUG": "1"}):
        assert name in refusal(**mode, **{name: value})


def test_what_production_sets_is_taken() -> None:
    usual = {"TRUSTED_PROXIES": "2", "ALLOWED_HOSTS": "savor.example,.savor.example,10.0.0.7"}
    assert load(SECRET_KEY=STRONG, **usual).PRODUCTION


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOST", "0.0.0.0"),
        ("HOST", "192.168.1.7"),
        ("HOST", "::"),
        ("ALLOWED_HOSTS", "localhost,savor.example"),
        ("ALLOWED_HOSTS", ".example"),
    ],
)
def test_a_demo_is_this_machines_alone(name: str, value: str) -> None:
    assert f"DEMO=1 shows log-in codes to everybody, and {name}" in refusal(DEMO="1", **{name: value})


def test_in_a_container_a_demo_listens_where_the_container_says() -> None:
    assert load(DEMO="1", IN_CONTAINER="1", HOST="0.0.0.0").DEMO
    assert "ALLOWED_HOSTS has savor.example" in refusal(
        DEMO="1", IN_CONTAINER="1", ALLOWED_HOSTS="savor.example"
    )


@pytest.mark.parametrize("hosts", ["127.0.0.1,localhost,[::1]", "city.localhost", "127.1.2.3"])
def test_a_demo_may_have_any_name_of_this_machine(hosts: str) -> None:
    allowed = load(DEMO="1", HOST="::1", ALLOWED_HOSTS=hosts).ALLOWED_HOSTS
    assert allowed == hosts.split(",")


def test_the_demo_does_not_serve_real_people() -> None:
    assert "unset DEMO" in refusal(SECRET_KEY=STRONG, DEMO="1", SECURE="1")


def test_debug_does_not_serve_real_people() -> None:
    assert "unset DEBUG" in refusal(SECRET_KEY=STRONG, DEBUG="1", SECURE="1")


def test_no_process_of_production_may_be_told_to_kill_itself() -> None:
    assert "FAULT_INJECTION=1" in refusal(SECRET_KEY=STRONG, FAULT_INJECTION="1")
    assert not load(SECRET_KEY=STRONG, CRASH_AT="decided:1").FAULT_INJECTION
    assert load(DEMO="1", FAULT_INJECTION="1").FAULT_INJECTION


def test_a_cluster_is_no_broker() -> None:
    assert "CELERY_BROKER_URL" in refusal(SECRET_KEY=STRONG, REDIS_URL="redis+cluster://10.0.0.1:7000")


@pytest.mark.parametrize(
    ("replicas", "url"), [("-1", "redis://10.0.0.1:6379"), ("1", "redis+cluster://10.0.0.1:7000")]
)
def test_claims_wait_for_replicas_that_can_be_waited_for(replicas: str, url: str) -> None:
    broker = "redis://10.0.0.2:6379"
    said = refusal(SECRET_KEY=STRONG, REDIS_URL=url, CELERY_BROKER_URL=broker, SALE_REPLICAS=replicas)
    assert f"SALE_REPLICAS is {replicas}" in said


@pytest.mark.parametrize(
    ("url", "engine"),
    [
        ("redis+cluster://10.0.0.1:7000", "django.contrib.sessions.backends.db"),
        ("redis+sentinel://10.0.0.1:26379/0?service=sales", "django.contrib.sessions.backends.db"),
        ("redis://10.0.0.1:6379/0", "django.contrib.sessions.backends.cached_db"),
    ],
)
def test_managers_sessions_are_where_django_can_keep_them(url: str, engine: str) -> None:
    """Its cache understands the URL of one server alone, and every page of the admin would fail."""
    environment = {"SECRET_KEY": STRONG, "REDIS_URL": url, "CELERY_BROKER_URL": "redis://10.0.0.2:6379/0"}
    chosen = load(**environment).SESSION_ENGINE
    assert chosen == engine


def test_a_task_may_not_outlive_its_message() -> None:
    limits = {"CELERY_TASK_SECONDS": "600", "CELERY_VISIBILITY_SECONDS": "600"}
    assert "CELERY_TASK_SECONDS is 600" in refusal(SECRET_KEY=STRONG, **limits)


@pytest.mark.parametrize(
    ("tiles", "sources"),
    [
        ("", []),
        ("/tiles/{z}/{x}/{y}.png", []),
        ("https://tiles.example:8080/{z}/{x}/{y}.png", ["https://tiles.example:8080"]),
        ("https://{s}.tiles.example/{z}/{x}/{y}.png", ["https://*.tiles.example"]),
    ],
)
def test_pages_may_load_pictures_from_the_host_of_the_tiles(tiles: str, sources: list[str]) -> None:
    loaded = load(DEMO="1", MAP_TILES=tiles)
    assert sources == loaded.MAP_SOURCES
    assert loaded.CONTENT_SECURITY_POLICY["DIRECTIVES"]["img-src"] == ["'self'", "data:", *sources]


def variables_of_settings() -> set[str]:
    """The variables that the settings read, but for the one that they read to refuse it."""
    text = sources.text(ROOT / "config" / "settings.py")
    return set(re.findall(r'\benv\.\w+\(\s*"([A-Z_]+)"', text)) - {"CSRF_TRUSTED_ORIGINS"}


def test_every_variable_of_the_settings_is_in_the_table_of_operations() -> None:
    page, read = sources.text(ROOT / "docs" / "operations.md"), variables_of_settings()
    assert len(read) > 50
    assert [name for name in sorted(read) if f"`{name}`" not in page] == []


def test_every_variable_refuses_a_wrong_value() -> None:
    """But for those that take any text, and switches and numbers, which are read as the others are.

    Keys and VAR_DIR have tests of their own.
    """
    text = sources.text(ROOT / "config" / "settings.py")
    switches_and_numbers = set(re.findall(r'\benv\.(?:bool|int|float)\(\s*"([A-Z_]+)"', text))
    refused = {name for name, _value, _text in WRONG_VALUES}
    refused |= {"SECRET_KEY", "SECRET_KEY_FALLBACKS", "VAR_DIR"}
    assert variables_of_settings() - switches_and_numbers - refused == ANY_TEXT


#: Names, keys and secrets of others: no text is wrong, or only their owner knows.
ANY_TEXT = {
    *("METRICS_TOKEN", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"),
    *("HUMAN_CHECK_SITE_KEY", "HUMAN_CHECK_SECRET", "MAP_ATTRIBUTION", "OTEL_SERVICE_NAME"),
    *("ALIPAY_APP_ID", "ALIPAY_PRIVATE_KEY_FILE", "ALIPAY_PUBLIC_KEY_FILE"),
    *("OPERATOR_NAME", "OPERATOR_ADDRESS", "OPERATOR_PHONE", "OPERATOR_REGISTRATION"),
}
#: A wrong value, and what its sentence says: the variable's name comes first, and no password is repeated.
WRONG_VALUES = [
    ("DEMO", "maybe", "set it to 1 (on) or 0 (off)"),
    ("DEBUG", "2", "set it to 1 (on) or 0 (off)"),
    ("ACCESS_LOG", "ｏn", "set it to 1 (on) or 0 (off)"),
    ("TRUSTED_PROXIES", "abc", "a whole number from 0 to 10"),
    ("TRUSTED_PROXIES", "", "is '': set it to a whole number"),
    ("TRUSTED_PROXIES", "1.5", "a whole number"),
    ("PORT", "65536", "a whole number from 0 to 65535"),
    ("PICTURES_AT_ONCE", "1_0", "a whole number"),
    ("PICTURES_AT_ONCE", "٣", "a whole number"),
    ("PAY_WITHIN_SECONDS", "9" * 5_000, "a whole number"),
    ("PAY_WITHIN_SECONDS", "-1", "a whole number"),
    ("SALE_HOLD_SECONDS", "nan", "a number from 0"),
    ("CACHE_LOAD_WAIT", "inf", "a number from 0"),
    ("REDIS_URL", "localhost:6379", "write redis://host:6379/0"),
    ("REDIS_URL", "http://:hidden@10.0.0.1", "write redis://host:6379/0"),
    ("REDIS_URL", "redis://:hidden@10.0.0.1:port", "can't be read as a URL"),
    ("REDIS_URL", "redis://:pass/hidden@10.0.0.1", "can't be read as a URL"),
    ("REDIS_URL", "redis://:12/hidden@10.0.0.1", "write %2F, %3F or %23"),
    ("REDIS_URL", "redis://:12#hidden@10.0.0.1", "write %2F, %3F or %23"),
    ("REDIS_URL", "redis://:12?hidden@10.0.0.1", "write %2F, %3F or %23"),
    ("REDIS_URL", "redis+cluster://:hidden/hidden@10.0.0.1:7000", "write"),
    ("REDIS_URL", "redis+sentinel://:12/hidden@10.0.0.1:26379/0", "write"),
    ("REDIS_URL", "redis+sentinel://h:26379/hidden?sentinel_password=hidden", "no number of a database"),
    ("REDIS_URL", "redis://10.0.0.1/hidden", "no number of a database"),
    ("REDIS_URL", "redis://10.0.0.1/0?colour=hidden", "an option that Redis clients don't know"),
    ("REDIS_URL", "unix:///run/redis.sock?db=hidden", "an option that Redis clients don't know"),
    ("REDIS_URL", "hidden", "write redis://host:6379/0"),
    ("REDIS_URL", "redis+cluster://:hidden@10.0.0.1", "is not host:port"),
    ("REDIS_URL", "redis://[::1", "write redis://host:6379/0"),
    ("LOCK_REDIS_URLS", "redis://a:1,b:1,redis://c:1", "write redis://host:6379/0"),
    ("CELERY_BROKER_URL", "localhost:6379", "write redis://host:6379/1"),
    ("CELERY_BROKER_URL", "amqp://guest:hidden@10.0.0.1", "write redis://host:6379/1"),
    ("CELERY_BROKER_URL", "redis+sentinel://:hidden@10.0.0.1:26379", "Celery's own form"),
    ("CELERY_BROKER_URL", "redis://:hidden@10.0.0.1:port", "can't be read as a URL"),
    ("CELERY_BROKER_URL", "sentinel://h1:26379;sentinel://:hidden@h2:port", "can't be read as a URL"),
    ("CELERY_BROKER_URL", "redis://10.0.0.1:6379/0?password=hidden", "an option that Celery doesn't know"),
    ("REDIS_PREFIX", "", "write 1 to 30 letters"),
    ("REDIS_PREFIX", "{city}", "write 1 to 30 letters"),
    ("REDIS_PREFIX", "x" * 31, "write 1 to 30 letters"),
    ("ALLOWED_HOSTS", "https://localhost", "without scheme, port and path"),
    ("ALLOWED_HOSTS", "localhost, localhost:8000", "without scheme, port and path"),
    ("HOST", "127.0.0.1:8000", "without scheme, port and path"),
    ("HOST", "", "without scheme, port and path"),
    ("WEB_THREADS", "0", "a whole number from 1"),
    ("SQL_CONNECT_SECONDS", "1", "a whole number from 2"),
    ("SQL_STATEMENT_SECONDS", "0", "a whole number from 1"),
    ("SQL_LOCK_SECONDS", "0", "more than 0"),
    ("SQL_LOCK_SECONDS", "6", "at most SQL_STATEMENT_SECONDS, which is 5"),
    ("SQL_BACKGROUND_SECONDS", "for ever", "a number from 0"),
    ("CACHE_LOADS", "0", "a whole number from 1"),
    ("LOG_FORMAT", "xml" * 200, "set it to text or json"),
    ("STATIC_ROOT", ".", "name a directory of its own"),
    ("MEDIA_ROOT", "/", "name a directory of its own"),
    ("STATIC_ROOT", "/", "name a directory of its own"),
    ("STATIC_ROOT", "static", "name a directory of its own"),
    ("EMAIL_URL", "mail.example.org", "write smtp+tls://"),
    ("EMAIL_URL", "smtp://user:hidden@host:port", "write smtp+tls://"),
    ("EMAIL_URL", "smtp://user:12/hidden@host", "write %2F, %3F or %23"),
    ("EMAIL_URL", "smtp://", "write smtp+tls://"),
    ("EMAIL_URL", "gmail://user:hidden@host", "write smtp+tls://"),
    ("EMAIL_FROM", "Savor", "write e-mail addresses"),
    ("EMAIL_FROM", "savor@example.org\nBcc: all@example.org", "write e-mail addresses"),
    ("ADMINS", "a@example.org, root", "write e-mail addresses"),
    ("OPERATOR_EMAIL", "example.org", "write e-mail addresses"),
    ("MAP_TILES", "tiles.example/{z}/{x}/{y}.png", "no template of map tiles"),
    ("MAP_TILES", "https://tiles.example/", "no template of map tiles"),
    ("MAP_TILES", "https://[::1/{z}/{x}/{y}.png", "can't be read as a URL"),
    ("MAP_TILES", "https://a;script-src/{z}/{x}/{y}.png", "no template of map tiles"),
    ("SITE_NAME", "", "SITE_NAME is"),
    ("CURRENCY", "yen", "write the three capitals"),
    ("PRICE_BANDS", "1,2", "write three whole amounts"),
    ("LANGUAGES", "english", "write codes such as"),
    ("PHONE_REGION", "China", "write the two capitals"),
    ("PAYMENT_SECRET", "hidden", "at least 32 characters"),
    ("DATABASE_URL", "nonsense", "write postgres://user:password@host:5432/name"),
    ("DATABASE_URL", "mysql://root:hidden@10.0.0.1/savor", "write postgres://user:password@host:5432/name"),
    ("DATABASE_URL", "postgres://root:hidden@10.0.0.1:port/savor", "can't be read"),
    ("DATABASE_URL", "sqlite://savor.sqlite3", "no file after its three slashes"),
    ("DATABASE_URL", "postgres://u:12/hidden@10.0.0.1/savor", "write %2F, %3F or %23"),
    ("DATABASE_URL", "postgres://u:12#hidden@10.0.0.1/savor", "write %2F, %3F or %23"),
    ("DATABASE_URL", "postgres://u:hidden@10.0.0.1", "names no database"),
    ("DATABASE_URL", "", "write postgres://user:password@host:5432/name"),
    ("TIME_ZONE", "Mars", "there is no such time zone"),
    ("TIME_ZONE", "America", "there is no such time zone"),
    ("TIME_ZONE", "/etc/passwd", "there is no such time zone"),
    ("TIME_ZONE", "", "there is no such time zone"),
    ("SITE_URL", "savor.example", "write https://host/"),
    ("SITE_URL", "https://:443", "write https://host/"),
    ("SITE_URL", "https://me:hidden@savor.example", "a user or a password before its host"),
    ("API_ORIGINS", "app.example", "write https://host/"),
    ("API_ORIGINS", "*", "write https://host/"),
    ("API_ORIGINS", "https://app.example/path", "is no origin"),
    ("API_ORIGINS", "https://App.example", "is no origin"),
    ("SMS_SENDER", "nowhere.Sender", "there is no such module"),
    ("SMS_SENDER", "Sender", "there is no such module"),
    ("SMS_SENDER", "", "there is no such module"),
    ("SMS_SENDER", ".sms.Sender", "there is no such module"),
    ("SMS_SENDER", "apps.outbox.sms.CarrierPigeon", "apps.outbox.sms has no CarrierPigeon"),
    ("SMS_SENDER", "apps.outbox.http_sender.HttpSender", "SMS_HTTP_URL is no address"),
    ("SMS_HTTP_URL", "gateway.example/send", "write https://host/"),
    ("SMS_HTTP_URL", "https://me:hidden@gateway.example/send", "a user or a password before its host"),
    ("HUMAN_CHECK_VERIFY_URL", "verify.example", "write https://host/"),
    ("SMS_HTTP_METHOD", "DELETE", "none of GET, POST and PUT"),
    ("SMS_HTTP_HEADERS", "Authorization: hidden", "must be a JSON object"),
    ("SMS_HTTP_HEADERS", '{"X": "hidden\\r\\nY: 1"}', "can't be sent"),
    ("SMS_HTTP_BODY", "To={phone}", "{text} or {code}"),
    ("SMS_HTTP_BODY", '["{phone}", "{text}"]', "must be a JSON object or a form"),
    ("SMS_HTTP_SUCCESS", "OK", "must name a field"),
    ("SMS_HTTP_TIMEOUT", "60", "a number from 0 to 30"),
    ("SMS_COUNTRIES", "CN,China", "write regions like CN,HK"),
    ("HUMAN_CHECK", "captcha", "neither turnstile nor hcaptcha"),
    ("HUMAN_CHECK", "turnstile", "HUMAN_CHECK_SITE_KEY"),
    ("PAYMENT_PROVIDER", "apps.coupons.payments.nowhere.Bank", "there is no such module"),
    ("PAYMENT_PROVIDER", "apps.coupons.payments.sandbox.Bank", "has no Bank"),
    ("FORMER_PAYMENT_PROVIDERS", "apps.coupons.payments.sandbox.Bank", "has no Bank"),
    ("STRIPE_API_URL", "api.stripe.com", "write https://host/"),
    ("ALIPAY_GATEWAY", "", "write https://host/"),
    ("MEDIA_STORAGE_URL", "s3://AKIA:hidden@s3.example", "names no bucket"),
    ("MEDIA_STORAGE_URL", "/var/media", "is not the URL of a bucket"),
    ("PICTURES_BY_NGINX", "/var/media", "set it to 1 (on) or 0 (off)"),
    ("SENTRY_DSN", "sentry.example", "write https://key@host/1"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "write https://host/"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://key:hidden@collector", "has a user or a password"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318", "-r requirements-traces.lock"),
    ("VAPID_PRIVATE_KEY", "hidden", "it is no key: `manage.py make_vapid_key` makes one"),
    ("VAPID_PRIVATE_KEY", "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "needs OPERATOR_EMAIL"),
    ("SENTRY_DSN", "https://hidden@sentry.example/project", "write https://key@host/1"),
    ("SENTRY_DSN", "ftp://hidden@sentry.example/1", "write https://key@host/1"),
]


@pytest.mark.parametrize(("name", "value", "text"), WRONG_VALUES)
def test_a_wrong_value_is_refused_in_one_sentence(name: str, value: str, text: str) -> None:
    sentence = refusal(**{"DEMO": "1", name: value})
    assert sentence.startswith((name, "SMS_HTTP_URL"))
    assert text in sentence
    assert "hidden" not in sentence
    assert len(sentence.splitlines()) == 1
    assert len(sentence) < 300


def read_file(path: Path, content: bytes) -> dict[str, str]:
    """The variables that a file of variables sets."""
    path.write_bytes(content)
    with mock.patch.dict(os.environ, clear=True):
        Environment().read_file(path)
        return dict(os.environ)


def test_a_file_of_variables_is_read_as_it_is_written(tmp_path: Path) -> None:
    written = "# the site\nSECRET_KEY=$money#1\n\nexport SITE_NAME='Osaka 大阪'\n  \nADMINS=\n"
    read = read_file(tmp_path / ".env", written.encode())
    assert read == {"SECRET_KEY": "$money#1", "SITE_NAME": "Osaka 大阪", "ADMINS": ""}
    assert load(DEMO="1", METRICS_TOKEN="$money").METRICS_TOKEN == "$money"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"SECRET_KEY = hidden\n", "no NAME=value in line 1"),
        (b"DEBUG=1\nhidden\n", "no NAME=value in line 2"),
        (b"SECRET_KEY=\0hidden\n", "no NAME=value in line 1"),
        ("SECRET_KEY=hidden\n".encode("utf-16"), "it is not UTF-8"),
    ],
)
def test_a_file_of_variables_that_is_wrong_is_refused(tmp_path: Path, content: bytes, text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^\.env has|^\.env can't be read") as refused:
        read_file(tmp_path / ".env", content)
    assert text in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_a_file_of_variables_that_is_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"can't be read \(Is a directory\)"):
        Environment().read_file(tmp_path)


def test_an_old_key_is_no_weaker_than_the_new_one() -> None:
    old = {"SECRET_KEY_FALLBACKS": "hidden"}
    sentence = refusal(SECRET_KEY=STRONG, **old)
    assert sentence.startswith("SECRET_KEY_FALLBACKS is missing or weak")
    assert "hidden" not in sentence


def test_celery_finds_the_socket_of_the_sites_redis() -> None:
    loaded = load(DEMO="1", REDIS_URL="unix://:word@/run/redis.sock?db=2")
    assert loaded.CELERY_BROKER_URL == "redis+socket://:word@/run/redis.sock?virtual_host=2"
    assert loaded.REDIS_CONNECTIONS["broker"]["url"] == "unix://:word@/run/redis.sock?db=2"


def test_nothing_of_opentelemetry_is_imported_where_no_traces_go(tmp_path: Path) -> None:
    """But for its API, which redis-py imports where another package has installed it, as here."""
    ours = "('opentelemetry.sdk', 'opentelemetry.exporter', 'apps.tracing')"
    words = f"import sys, config.wsgi; print(*(name for name in sys.modules if name.startswith({ours})))"
    done = start("-c", words, DEMO="1", VAR_DIR=str(tmp_path / "var"))
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


@pytest.mark.parametrize("value", ["1", "on", "YES", "true", " 1 "])
def test_a_switch_is_on_by_the_usual_words(value: str) -> None:
    assert load(DEMO=value).DEMO


@pytest.mark.parametrize("command", [["manage.py", "migrate"], ["-m", "config.preflight"]])
def test_no_start_answers_a_wrong_value_with_a_traceback(command: list[str]) -> None:
    done = start(*command, DEMO="1", TIME_ZONE="Mars")
    assert done.returncode == 1
    assert done.stderr.startswith("Savor doesn't start: TIME_ZONE is Mars")
    assert len(done.stderr.strip().splitlines()) == 1


def test_no_start_prints_the_password_of_redis(tmp_path: Path) -> None:
    url = "redis://savor:hidden@127.0.0.1:1"
    done = preflight(SECRET_KEY=STRONG, VAR_DIR=str(tmp_path / "var"), REDIS_URL=url)
    assert "Redis at redis://***@127.0.0.1:1 is away" in done.stderr
    assert "hidden" not in done.stderr


def preflight(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run the preflight with only these variables set."""
    return start("-m", "config.preflight", **environment)


def start(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python's command with only these variables set."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_preflight_says_it_in_one_line() -> None:
    done = preflight()
    assert done.returncode == 1
    assert done.stderr.startswith("Savor doesn't start: SECRET_KEY is missing or weak")
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_preflight_refuses_fault_injection_in_production() -> None:
    done = preflight(SECRET_KEY=STRONG, FAULT_INJECTION="1")
    assert done.returncode == 1
    assert done.stderr.startswith("Savor doesn't start: FAULT_INJECTION=1")


def modes(*paths: Path) -> list[str]:
    return [oct(path.stat().st_mode & 0o777) for path in paths]


def test_what_production_writes_is_its_owners_alone(tmp_path: Path) -> None:
    var_dir = tmp_path / "var"
    # No Redis listens there, which the preflight only reports.
    environment = {"SECRET_KEY": STRONG, "VAR_DIR": str(var_dir), "REDIS_URL": "redis://127.0.0.1:1"}
    assert preflight(**environment).returncode == 0
    assert modes(var_dir, var_dir / "savor.sqlite3") == ["0o700", "0o600"]


def test_what_others_could_read_is_closed_or_refused(tmp_path: Path) -> None:
    var_dir, database = tmp_path / "var", tmp_path / "var" / "savor.sqlite3"
    found = load(SECRET_KEY=STRONG, VAR_DIR=str(var_dir)).DATABASES["default"]
    var_dir.mkdir(mode=0o700)
    database.touch(mode=0o644)
    private_files.make_private(var_dir, found)
    assert modes(var_dir, database) == ["0o700", "0o600"]
    var_dir.chmod(0o755)
    with pytest.raises(ImproperlyConfigured, match=f"chmod 700 {var_dir}"):
        private_files.make_private(var_dir, found)
    assert modes(var_dir) == ["0o755"]
