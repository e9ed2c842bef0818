"""Django's settings, read from the environment; a wrong value stops the start with a one-sentence error."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue
from phonenumbers import SUPPORTED_REGIONS
from whitenoise.compress import Compressor

from apps.demo import embedded_address
from apps.mailbox import vapid
from apps.outbox import sms_templates
from apps.queues import broker
from config import bucket_url, celery_schedule, environment, site_settings, unsafe_settings
from config.unfold import UNFOLD as UNFOLD
from config.version import __version__

# Adds the generics that Django 5.2 lacks at runtime, such as ModelForm[Shop]: one line for Python and mypy,
# no second class under `if TYPE_CHECKING` beside each form and admin.
django_stubs_ext.monkeypatch()

# -- where the site runs ------------------------------------------------------------------------
BASE_DIR = Path(__file__).resolve().parent.parent
env = environment.Environment()
env.read_file(BASE_DIR / ".env")

VAR_DIR = Path(env.str("VAR_DIR", default="") or BASE_DIR / "var").resolve()
#: Data directory of the embedded Redis server, which is used when REDIS_URL is not set.
REDIS_DIR = VAR_DIR / "redis"
REDIS_URL = env.str("REDIS_URL", default="") or embedded_address.url(REDIS_DIR)
environment.require_redis_url("REDIS_URL", REDIS_URL)
#: Prefix of every Redis key of the site; two sites on one server need different prefixes.
REDIS_PREFIX = site_settings.read_prefix(env.str("REDIS_PREFIX", default="savor"))

#: The software's release: in /readyz, the API's document, the admin's foot and the lens.
VERSION = __version__
#: What pages, messages and the admin call the site.
SITE_NAME = site_settings.read_name(env.str("SITE_NAME", default="Savor"))

DEMO = env.bool("DEMO", default=False)
DEBUG = env.bool("DEBUG", default=False)
PRODUCTION = not (DEMO or DEBUG)

# -- secrets and hosts --------------------------------------------------------------------------
DEVELOPMENT_KEY = "development-only-key-that-production-refuses-to-start-with"
SECRET_KEY = env.str("SECRET_KEY", default="" if PRODUCTION else DEVELOPMENT_KEY)
if PRODUCTION:
    unsafe_settings.refuse_weak_key(SECRET_KEY)
#: Keys that SECRET_KEY has replaced: what they signed is believed until they are taken out.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
if PRODUCTION:
    for _key in SECRET_KEY_FALLBACKS:
        unsafe_settings.refuse_weak_key(_key, "SECRET_KEY_FALLBACKS")
if DEMO and env.bool("SECURE", default=False):
    raise ImproperlyConfigured(
        "DEMO=1 shows log-in codes to everybody: unset DEMO where SECURE=1 serves real people."
    )
if DEBUG and env.bool("SECURE", default=False):
    raise ImproperlyConfigured("DEBUG=1 shows code and settings: unset DEBUG where SECURE=1 serves people.")
#: For tests: whether a process may be told to kill itself at a named place (redis_kit.fault_injection).
FAULT_INJECTION = env.bool("FAULT_INJECTION", default=False)
if PRODUCTION and FAULT_INJECTION:
    raise ImproperlyConfigured("FAULT_INJECTION=1 lets processes kill themselves, for tests: unset it.")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
environment.require_hosts("ALLOWED_HOSTS", ALLOWED_HOSTS)
SECURE = env.bool("SECURE", default=PRODUCTION)
#: Number of proxies in front that append to X-Forwarded-For and say the scheme and host that the client used;
#: 0: the peer's address is the client's, and nothing that is forwarded is believed.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0, most=unsafe_settings.MAX_TRUSTED_PROXIES)
unsafe_settings.refuse_unsafe_hosts(ALLOWED_HOSTS, env.str("CSRF_TRUSTED_ORIGINS", default=""))
_HOST = env.str("HOST", default="127.0.0.1")
environment.require_hosts("HOST", [f"[{_HOST}]" if ":" in _HOST else _HOST])
if DEMO:
    # In a container every address is the container's; which of them others reach, its ports decide.
    _in_container = env.bool("IN_CONTAINER", default=False)
    unsafe_settings.refuse_public_demo("127.0.0.1" if _in_container else _HOST, ALLOWED_HOSTS)
#: Threads in which a web process runs Django. Measured: one, two or four answer alike; with four, a slow page
#: delays the fewest others.
WEB_THREADS = env.int("WEB_THREADS", default=4, least=1, most=1_000)

# -- applications -------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.import_export",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "csp",
    "import_export",
    "ninja",
    "js_lib_leaflet",
    "apps.redis_kit",
    "apps.web",
    "apps.front",
    "apps.geoip",
    "apps.siteconfig",
    "apps.metrics",
    "apps.adminkit",
    "apps.monitoring",
    "apps.uv",
    "apps.logship",
    "apps.queues",
    "apps.outbox",
    "apps.mailbox",
    "apps.accounts",
    "apps.moderation",
    "apps.imports",
    "apps.shops",
    "apps.follows",
    "apps.signins",
    "apps.coupons",
    "apps.blog",
    "apps.saves",
    "apps.search",
    "apps.chat",
    "apps.rankings",
    "apps.ads",
    "apps.backoffice",
    "apps.patterns",
    "apps.demo",
]

MIDDLEWARE = [
    # Outermost: measures all of a request.
    "apps.metrics.requests.TimingMiddleware",
    "apps.web.request_origin.ForwardedOriginMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "apps.front.security_headers.SecurityHeadersMiddleware",
    "apps.web.http_rules.StaticFilesMiddleware",
    "apps.front.compression.CompressionMiddleware",
    "apps.backoffice.lens.middleware.LensMiddleware",
    "apps.web.csp.CspMiddleware",
    "apps.web.problems.middleware.ProblemMiddleware",
    "apps.adminkit.bad_lookups.BadLookupMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    # After the rules on host and scheme, in a language; before those on origin and person.
    "apps.siteconfig.maintenance.middleware.MaintenanceMiddleware",
    "apps.front.crowd_middleware.CrowdMiddleware",
    "apps.web.cross_origin.CrossOriginMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "apps.accounts.middleware.SecondFactorMiddleware",
    # Outside TokenMiddleware, which sets Vary and Cache-Control on a response first.
    "apps.uv.middleware.VisitMiddleware",
    "apps.accounts.middleware.TokenMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Innermost: only views see another method.
    "apps.web.http_rules.HeadMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# -- SQL ----------------------------------------------------------------------------------------
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'savor.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE takes the write lock at BEGIN: a later upgrade from read to write can't fail as "locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # A new order touches five pages. Out of the box a thousand pages of the log are copied into the file
        # before commits go on, and synced: after each 200 orders. Here it is 32 MB.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=8000;"
        ),
    }
else:
    # Django's own backend with the deadlines below.
    DATABASES["default"]["ENGINE"] = "apps.web.postgresql"
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
#: Seconds that a web process waits for PostgreSQL to connect, for a statement and for a lock; then it is 503.
SQL_CONNECT_SECONDS = env.int("SQL_CONNECT_SECONDS", default=3, least=2, most=60)
SQL_STATEMENT_SECONDS = env.int("SQL_STATEMENT_SECONDS", default=5, least=1, most=600)
SQL_LOCK_SECONDS = env.float("SQL_LOCK_SECONDS", default=2, most=600)
if not 0 < SQL_LOCK_SECONDS <= SQL_STATEMENT_SECONDS:
    raise ImproperlyConfigured(
        f"SQL_LOCK_SECONDS is {SQL_LOCK_SECONDS:g}: set it to more than 0 and at most SQL_STATEMENT_SECONDS, "
        f"which is {SQL_STATEMENT_SECONDS}."
    )
#: Seconds that consumers and workers wait for an answer, and the admin's exports; 0: as long as it takes.
SQL_BACKGROUND_SECONDS = env.float("SQL_BACKGROUND_SECONDS", default=120, most=86_400)
#: Seconds that they, and commands, wait for a connection.
SQL_BACKGROUND_CONNECT_SECONDS = 10
# Seconds that a connection is reused: opening one takes longer than a query, with SQLite too.
DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Redis --------------------------------------------------------------------------------------
_BROKER_URL = env.str("CELERY_BROKER_URL", default="")
if not _BROKER_URL:
    _is_embedded = embedded_address.url(REDIS_DIR) == REDIS_URL
    _BROKER_URL = (
        embedded_address.broker_url(REDIS_DIR, db=1) if _is_embedded else broker.celery_url(REDIS_URL)
    )
environment.require_broker_url("CELERY_BROKER_URL", _BROKER_URL)

#: Name -> Redis connection: URL, `deadline` of a call in seconds, and most connections of a process.
REDIS_CONNECTIONS = {
    "default": {"url": REDIS_URL, "deadline": 0.5, "connections": 50},
    # For blocking reads: the deadline must be longer than the block time.
    "blocking": {"url": REDIS_URL, "deadline": 5.0, "connections": 8},
    # For caches (redis_kit.cache); the admin can move it, and "stats", to another server.
    "cache": {"url": REDIS_URL, "deadline": 0.5, "connections": 50},
    # For visits and recently viewed items: a page waits no longer than this.
    "stats": {"url": REDIS_URL, "deadline": 0.2, "connections": 16},
    # For threads that wait for a lock: each subscribes on a connection of its own.
    "waiting": {"url": REDIS_URL, "deadline": 1.0, "connections": 200},
    # For the event loop: two batches at a time, a connection each (redis_kit.transport).
    "gateway": {"url": REDIS_URL, "deadline": 0.5, "connections": 8},
    "live": {"url": REDIS_URL, "deadline": 2.0, "connections": 4},
    # For the thread that sends metrics, which nobody waits for.
    "metrics": {"url": REDIS_URL, "deadline": 0.5, "connections": 2},
    # The broker's server: Celery's queues and, beside them, the delayed jobs.
    "broker": {
        "url": broker.client_url(_BROKER_URL, default=REDIS_URL),
        "deadline": 1.0,
        "connections": 10,
    },
}

#: Independent servers, an odd number from 3 on, whose majority decides which machine runs a scheduled job.
LOCK_REDIS_URLS = env.list("LOCK_REDIS_URLS", default=[])
for _url in LOCK_REDIS_URLS:
    environment.require_redis_url("LOCK_REDIS_URLS", _url)
#: Their connections.
LOCK_SERVERS = tuple(f"lock{number}" for number in range(1, len(LOCK_REDIS_URLS) + 1))
if LOCK_SERVERS and (len(LOCK_SERVERS) < 3 or len(LOCK_SERVERS) % 2 == 0):
    raise ImproperlyConfigured("LOCK_REDIS_URLS names an odd number of independent servers, at least three.")
REDIS_CONNECTIONS |= {
    name: {"url": url, "deadline": 0.5, "connections": 10}
    for name, url in zip(LOCK_SERVERS, LOCK_REDIS_URLS, strict=True)
}

# -- caches and sessions ------------------------------------------------------------------------
#: Concurrent loads from SQL by a process's caches, seconds that a load waits for its turn, and threads that
#: refresh stale values (0: the reader of a stale value refreshes it).
CACHE_LOADS = env.int("CACHE_LOADS", default=8, least=1)
CACHE_LOAD_WAIT = env.float("CACHE_LOAD_WAIT", default=1.0)
CACHE_REFRESH_THREADS = env.int("CACHE_REFRESH_THREADS", default=2)
_LOCAL_CACHE = "django.core.cache.backends.locmem.LocMemCache"
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": _LOCAL_CACHE},
    # What `{% cache %}` keeps in each process. Who edits a template, with DEBUG, sees the change at once.
    "template_fragments": {
        "BACKEND": "django.core.cache.backends.dummy.DummyCache" if DEBUG else _LOCAL_CACHE,
        "LOCATION": "template_fragments",
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
}
# Sessions are also rows in SQL, so managers stay logged in to the admin when Redis loses its data. Django's
# cache in Redis holds nothing else, and takes one server: beside a Cluster or Sentinel they are in SQL alone.
if "+" in REDIS_URL.partition(":")[0]:
    SESSION_ENGINE = "django.contrib.sessions.backends.db"
else:
    SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
    CACHES["default"] = {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": f"{REDIS_PREFIX}:django",
        # 1 was no JSON: values that run code when they are read (decision 116).
        "VERSION": 2,
        "OPTIONS": {
            "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
            "IGNORE_EXCEPTIONS": True,
            "SOCKET_TIMEOUT": 0.5,
            "SOCKET_CONNECT_TIMEOUT": 0.5,
            "CONNECTION_POOL_CLASS": "apps.redis_kit.observers.CachePool",
        },
    }

# -- background work (Celery) -------------------------------------------------------------------
CELERY_BROKER_URL, _SENTINEL_OPTIONS = broker.split_options(_BROKER_URL)
#: Seconds after which another worker gets the task of a dead worker.
_VISIBILITY_SECONDS = env.int("CELERY_VISIBILITY_SECONDS", default=600)
#: Seconds after which a running task is killed; at four fifths of it, the task gets SoftTimeLimitExceeded.
CELERY_TASK_TIME_LIMIT = env.int("CELERY_TASK_SECONDS", default=max(1, _VISIBILITY_SECONDS // 2))
CELERY_TASK_SOFT_TIME_LIMIT = max(1, CELERY_TASK_TIME_LIMIT * 4 // 5)
if not 1 <= CELERY_TASK_TIME_LIMIT < _VISIBILITY_SECONDS:
    raise ImproperlyConfigured(
        f"CELERY_TASK_SECONDS is {CELERY_TASK_TIME_LIMIT}: it must be at least 1 and less than "
        f"CELERY_VISIBILITY_SECONDS ({_VISIBILITY_SECONDS}), or a task that still runs is given to "
        f"another worker."
    )
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
    # Two applications on one broker must not take each other's tasks.
    "global_keyprefix": f"{REDIS_PREFIX}:kit:queue:",
    "visibility_timeout": _VISIBILITY_SECONDS,
    # Kombu's defaults look for unacknowledged tasks every 100 seconds; a worker that dies looking blocks 300.
    "unacked_restore_interval": max(1, min(10, _VISIBILITY_SECONDS // 10)),
    "unacked_restore_throttle": 1,
    "unacked_mutex_expire": 30,
    # Without a deadline a worker waits for ever for the rest of an answer, or for the first one.
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    # Workers empty the queues in the order of CELERY_TASK_QUEUES.
    "queue_order_strategy": "priority",
} | _SENTINEL_OPTIONS
CELERY_TASK_QUEUES = [Queue("high"), Queue("normal"), Queue("low")]
CELERY_TASK_DEFAULT_QUEUE = "normal"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
# The out-of-memory killer ends a worker's child, not the worker: its task must run again too.
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Celery's default ends a worker after a hundred tries.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = celery_schedule.SCHEDULE

# -- what operators set while the site runs -----------------------------------------------------
#: Seconds between two reads of what operators have set (maintenance, settings), on a thread of each process;
#: 0: nothing is read until somebody asks.
SITECONFIG_POLL_SECONDS = env.float("SITECONFIG_POLL_SECONDS", default=1.0)

# -- reports of errors --------------------------------------------------------------------------
#: https://key@host/1: the Sentry that hears of errors; empty: none is told.
SENTRY_DSN = environment.require_dsn("SENTRY_DSN", env.str("SENTRY_DSN", default=""))
if SENTRY_DSN:
    environment.require_package("SENTRY_DSN", "sentry_sdk")
    INSTALLED_APPS.append("apps.error_reports")

# -- traces -------------------------------------------------------------------------------------
#: http://collector:4318: where traces go by OTLP; empty: none are made, and nothing is imported for them.
OTEL_EXPORTER_OTLP_ENDPOINT = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default="")
#: What the collector calls the site.
OTEL_SERVICE_NAME = env.str("OTEL_SERVICE_NAME", default="") or SITE_NAME
if OTEL_EXPORTER_OTLP_ENDPOINT:
    environment.require_web_url("OTEL_EXPORTER_OTLP_ENDPOINT", OTEL_EXPORTER_OTLP_ENDPOINT)
    environment.require_package(
        "OTEL_EXPORTER_OTLP_ENDPOINT", "opentelemetry.sdk", lock="requirements-traces.lock"
    )
    INSTALLED_APPS.append("apps.tracing")
    MIDDLEWARE.insert(0, "apps.tracing.apps.TracingMiddleware")

# -- metrics and logs ---------------------------------------------------------------------------
#: Whether the site's processes measure themselves: counters, timings and log lines for the admin's pages.
METRICS = env.bool("METRICS", default=True)
#: Bearer token with which Prometheus reads /metrics from another machine; without one only this machine may.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
#: Folder of the access log of this machine's web processes; None without one.
ACCESS_LOG_DIR = VAR_DIR / "logs" if env.bool("ACCESS_LOG", default=True) else None
#: Most bytes of log blocks in Redis: the sender waits for the slowest analyser.
LOG_STREAM_BYTES = env.int("LOG_STREAM_BYTES", default=64 * 1024 * 1024)

#: Takes secrets out of reports of errors: e-mails to ADMINS, and the debug page.
DEFAULT_EXCEPTION_REPORTER = "apps.metrics.exception_reports.Reporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "apps.metrics.exception_reports.ReportFilter"
_FORMATTERS = {
    "text": {"()": "apps.metrics.stderr_lines.TextFormatter"},
    "json": {"()": "apps.metrics.stderr_lines.JsonFormatter"},
}
#: "text", or "json" for programs that collect lines.
LOG_FORMAT = env.str("LOG_FORMAT", default="text")
if LOG_FORMAT not in _FORMATTERS:
    raise ImproperlyConfigured(f"LOG_FORMAT is {LOG_FORMAT!r:.80}: set it to text or json.")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": _FORMATTERS,
    "filters": {
        "usual": {"()": "apps.metrics.stderr_lines.UsualAnswersFilter"},
        "foreseen": {"()": "apps.metrics.stderr_lines.ForeseenLinesFilter"},
        "unforeseen": {"()": "apps.metrics.stderr_lines.UnforeseenFilter"},
        "require_debug_false": {"()": "django.utils.log.RequireDebugFalse"},
    },
    "handlers": {
        "stderr": {
            "class": "apps.metrics.stderr_lines.StderrHandler",
            "formatter": LOG_FORMAT,
            "filters": ["usual", "foreseen"],
            "level": "WARNING",
        },
        # Django's own: tells ADMINS of answers 500.
        "mail_admins": {
            "class": "django.utils.log.AdminEmailHandler",
            "filters": ["require_debug_false", "unforeseen"],
            "level": "ERROR",
        },
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        # With django.request and django.security below it; they go on to the root.
        "django": {"handlers": ["mail_admins"], "level": "INFO"},
        # It writes each address with its query, in which a gateway for text messages may want the code.
        "httpx": {"level": "WARNING"},
        # uvicorn hands nothing on.
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "uvicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
    },
}
# The workers write as the other processes do; what they print is no log line.
CELERY_WORKER_HIJACK_ROOT_LOGGER = CELERY_WORKER_REDIRECT_STDOUTS = False

# -- people -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "accounts:login"
# Only managers have passwords, and use Django's log-in view, which redirects here.
LOGIN_REDIRECT_URL = "admin:index"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "apps.accounts.login.passwords.StrengthValidator"},
]
#: Whether managers must have a second factor; without this only those are asked who have set one up.
STAFF_SECOND_FACTOR = env.bool("STAFF_SECOND_FACTOR", default=False)
OTP_TOTP_ISSUER = SITE_NAME
#: Apps to whose pages a first log-in leads at once, without the welcome: nobody is held up from a sale.
WELCOME_EXEMPT_APPS = {"coupons"}
#: The country of numbers that are typed without a country code.
PHONE_REGION = site_settings.read_region(env.str("PHONE_REGION", default="CN"))
LOGIN_CODE_TTL = timedelta(minutes=2)
#: Whether people may log in by a passkey, which they add once they have logged in by phone.
LOGIN_PASSKEYS = env.bool("LOGIN_PASSKEYS", default=DEMO)
#: Whether people may log in by a code mailed to an address, which they add once they have logged in by phone.
LOGIN_EMAIL = env.bool("LOGIN_EMAIL", default=DEMO)
TOKEN_TTL = timedelta(days=30)
#: Seconds between two writings of a web process about used log-ins; 0: it writes none by itself, for tests.
TOKEN_RENEWAL_SECONDS = 1.0

# -- messages -----------------------------------------------------------------------------------
SMS_SENDER = env.str("SMS_SENDER", default="apps.outbox.sms.ConsoleSender")
environment.require_class("SMS_SENDER", SMS_SENDER)
#: The request of apps.outbox.http_sender.HttpSender: docs/providers.md has lines for some gateways.
SMS_HTTP_URL = env.str("SMS_HTTP_URL", default="")
if SMS_HTTP_URL or SMS_SENDER == "apps.outbox.http_sender.HttpSender":
    environment.require_web_url("SMS_HTTP_URL", SMS_HTTP_URL)
SMS_HTTP_METHOD = env.str("SMS_HTTP_METHOD", default="POST")
if SMS_HTTP_METHOD not in ("GET", "POST", "PUT"):
    raise ImproperlyConfigured("SMS_HTTP_METHOD is none of GET, POST and PUT.")
SMS_HTTP_HEADERS = environment.parse_setting(
    "SMS_HTTP_HEADERS", env.str("SMS_HTTP_HEADERS", default="{}"), sms_templates.parse_headers
)
SMS_HTTP_BODY = environment.parse_setting(
    "SMS_HTTP_BODY", env.str("SMS_HTTP_BODY", default="phone={phone}&text={text}"), sms_templates.parse_body
)
if SMS_HTTP_METHOD == "GET" and SMS_HTTP_BODY.is_json:
    raise ImproperlyConfigured(
        "SMS_HTTP_BODY is JSON, and SMS_HTTP_METHOD is GET: write name=value&name=value."
    )
SMS_HTTP_SUCCESS = environment.parse_setting(
    "SMS_HTTP_SUCCESS", env.str("SMS_HTTP_SUCCESS", default=""), sms_templates.parse_rule
)
#: Seconds for all of an exchange: who logs in waits for it.
SMS_HTTP_TIMEOUT = env.float("SMS_HTTP_TIMEOUT", default=5, most=30)
#: Regions whose numbers get log-in codes, such as CN,HK; empty: all. Messages to some are dear.
SMS_COUNTRIES = frozenset(env.list("SMS_COUNTRIES", default=[]))
if _unknown := SMS_COUNTRIES - SUPPORTED_REGIONS:
    raise ImproperlyConfigured(f"SMS_COUNTRIES has {min(_unknown)!r:.20}: write regions like CN,HK.")
#: smtp://user:password@host:587 (or smtp+tls, smtp+ssl); outside production the default prints e-mails.
_mail = env.email("EMAIL_URL", default="smtp://localhost:25" if PRODUCTION else "consolemail://")
EMAIL_BACKEND, EMAIL_HOST, EMAIL_PORT = _mail["EMAIL_BACKEND"], _mail["EMAIL_HOST"], _mail["EMAIL_PORT"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_USER"], _mail["EMAIL_HOST_PASSWORD"]
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.get("EMAIL_USE_TLS", False), _mail.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("EMAIL_FROM", default="savor@localhost")
environment.require_mail_addresses("EMAIL_FROM", [DEFAULT_FROM_EMAIL])
#: E-mail addresses that are notified of failed tasks and of reconciliations that do not agree.
_ADMIN_ADDRESSES = environment.require_mail_addresses("ADMINS", env.list("ADMINS", default=[]))
ADMINS = [("", address) for address in _ADMIN_ADDRESSES]

#: A widget before a log-in code is sent: turnstile, hcaptcha, or empty for none (apps.accounts.human_check).
HUMAN_CHECK = env.str("HUMAN_CHECK", default="")
HUMAN_CHECK_SITE_KEY = env.str("HUMAN_CHECK_SITE_KEY", default="")
HUMAN_CHECK_SECRET = env.str("HUMAN_CHECK_SECRET", default="")
#: Where proofs are verified instead of at the widget's own server.
HUMAN_CHECK_VERIFY_URL = env.str("HUMAN_CHECK_VERIFY_URL", default="")
if HUMAN_CHECK not in ("", "turnstile", "hcaptcha"):
    raise ImproperlyConfigured("HUMAN_CHECK is neither turnstile nor hcaptcha: leave it empty for no check.")
if HUMAN_CHECK and not (HUMAN_CHECK_SITE_KEY and HUMAN_CHECK_SECRET):
    raise ImproperlyConfigured("HUMAN_CHECK needs HUMAN_CHECK_SITE_KEY and HUMAN_CHECK_SECRET beside it.")
if HUMAN_CHECK_VERIFY_URL:
    environment.require_web_url("HUMAN_CHECK_VERIFY_URL", HUMAN_CHECK_VERIFY_URL)

# -- sales --------------------------------------------------------------------------------------
PAY_WITHIN = timedelta(seconds=env.int("PAY_WITHIN_SECONDS", default=900, most=30 * 86_400))
PAYMENT_PROVIDER = env.str("PAYMENT_PROVIDER", default="apps.coupons.payments.sandbox.Sandbox")
environment.require_class("PAYMENT_PROVIDER", PAYMENT_PROVIDER)
#: Providers that new payments don't go to any more, and earlier ones are refunded by.
FORMER_PAYMENT_PROVIDERS = env.list("FORMER_PAYMENT_PROVIDERS", default=[])
for _path in FORMER_PAYMENT_PROVIDERS:
    environment.require_class("FORMER_PAYMENT_PROVIDERS", _path)
STRIPE_SECRET_KEY = env.str("STRIPE_SECRET_KEY", default="")
STRIPE_WEBHOOK_SECRET = env.str("STRIPE_WEBHOOK_SECRET", default="")
STRIPE_API_URL = env.str("STRIPE_API_URL", default="https://api.stripe.com")
environment.require_web_url("STRIPE_API_URL", STRIPE_API_URL)
ALIPAY_APP_ID = env.str("ALIPAY_APP_ID", default="")
#: Files with PEM keys: the app's own, which signs, and Alipay's public one, which verifies.
ALIPAY_PRIVATE_KEY_FILE = env.str("ALIPAY_PRIVATE_KEY_FILE", default="")
ALIPAY_PUBLIC_KEY_FILE = env.str("ALIPAY_PUBLIC_KEY_FILE", default="")
ALIPAY_GATEWAY = env.str("ALIPAY_GATEWAY", default="https://openapi.alipay.com/gateway.do")
environment.require_web_url("ALIPAY_GATEWAY", ALIPAY_GATEWAY)
#: Secret that signs payment callbacks, at least 32 characters; the demo derives it from SECRET_KEY.
PAYMENT_SECRET = env.str("PAYMENT_SECRET", default="")
if 0 < len(PAYMENT_SECRET) < 32:
    raise ImproperlyConfigured("PAYMENT_SECRET is too short: write at least 32 characters.")
#: Base URL at which the sandbox bank reaches this site.
SITE_URL = env.str("SITE_URL", default=f"http://127.0.0.1:{env.int('PORT', default=8000, most=65_535)}")
environment.require_web_url("SITE_URL", SITE_URL)
#: Origins whose pages may read the API with a bearer token (CORS); without any no other site's page may.
API_ORIGINS = environment.require_origins("API_ORIGINS", env.list("API_ORIGINS", default=[]))
CORS_ALLOWED_ORIGINS, CORS_URLS_REGEX = API_ORIGINS, r"^/api/"
CORS_EXPOSE_HEADERS = ["Retry-After", "Deprecation", "Link", "ETag", "RateLimit", "RateLimit-Policy"]
CORS_ALLOW_HEADERS = [
    *("accept", "accept-language", "authorization", "content-type", "idempotency-key", "last-event-id"),
]
if API_ORIGINS:
    # Outside of all that refuses: a page must read why.
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.middleware.security.SecurityMiddleware"),
        "apps.web.cross_origin.ApiOriginsMiddleware",
    )
#: Live streams that a web process serves at once, and those of one address (IPv6: /64); other pages poll.
STREAMS_PER_PROCESS = env.int("STREAMS_PER_PROCESS", default=10_000)
STREAMS_PER_ADDRESS = env.int("STREAMS_PER_ADDRESS", default=100)
#: Whether the event loop answers the flash sale, in front of Django (config/asgi.py).
SALE_GATEWAY = env.bool("SALE_GATEWAY", default=True)
#: Most accepted claims of a partition that are not in SQL yet; past it, the partition answers "busy".
SALE_IN_FLIGHT_LIMIT = env.int("SALE_IN_FLIGHT_LIMIT", default=100_000)
#: Seconds for which a sale that Redis has lost takes back orders, and sells nothing.
SALE_HOLD_SECONDS = env.float("SALE_HOLD_SECONDS", default=5)
#: Seconds more, at most, while a web process that may have accepted claims is missing: buyers have receipts.
SALE_LONG_HOLD_SECONDS = env.float("SALE_LONG_HOLD_SECONDS", default=60)
#: Seconds between two looks of a web process at the sales that were lost; 0: it never looks.
SALE_LOSS_POLL_SECONDS = env.float("SALE_LOSS_POLL_SECONDS", default=1)
#: Replicas of Redis that must have an accepted claim before its buyer hears of it (coupons.claims.replicas).
SALE_REPLICAS = env.int("SALE_REPLICAS", default=0)
if SALE_REPLICAS and REDIS_URL.partition(":")[0].endswith("+cluster"):
    raise ImproperlyConfigured(
        f"SALE_REPLICAS is {SALE_REPLICAS}: set it to 0 on a Redis Cluster, where WAIT would ask one node "
        "for all."
    )
#: Idle seconds after which another consumer takes over a stream entry; longer than any batch takes.
ORDER_RECLAIM_SECONDS = env.float("ORDER_RECLAIM_SECONDS", default=10)

# -- ads ----------------------------------------------------------------------------------------
#: Prices of ads by the plain formulas (1000 x price x clicks / views), without smoothing and exploration.
ADS_PLAIN_PRICES = env.bool("ADS_PLAIN_PRICES", default=False)

# -- feed ---------------------------------------------------------------------------------------
#: Most followers of an author whose notes are written to inboxes; readers query other authors' notes.
FEED_PUSH_LIMIT = env.int("FEED_PUSH_LIMIT", default=10_000)
#: Most notes in a reader's inbox; older notes come from SQL.
FEED_INBOX_CAP = env.int("FEED_INBOX_CAP", default=1_000)

# -- language and time --------------------------------------------------------------------------
#: The interface's languages, the site's own first; readers get the one that their browser prefers.
LANGUAGES = site_settings.read_languages(env.list("LANGUAGES", default=["en", "zh-hans"]))
LANGUAGE_CODE = LANGUAGES[0][0]
#: The site's translations, and those of texts that django-unfold leaves in English.
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "unfold"]
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="Asia/Shanghai")
environment.require_time_zone("TIME_ZONE", TIME_ZONE)
#: ISO 4217: the currency of new shops, vouchers and ads; rows keep the one that they were written with.
CURRENCY = site_settings.read_currency(env.str("CURRENCY", default="CNY"))
#: Prices per person, in whole units, at which the filter's second, third and last band begin.
PRICE_BANDS = site_settings.read_price_bands(env.list("PRICE_BANDS", default=[]), CURRENCY)

# -- files --------------------------------------------------------------------------------------
#: Folder of the demo's made-up table of addresses.
GEOIP_DIR = VAR_DIR / "geoip"
STATIC_URL = "/static/"
#: Where collectstatic writes, for another web server to read: VAR_DIR is closed to it.
STATIC_ROOT = Path(env.str("STATIC_ROOT", default="") or VAR_DIR / "static")
environment.require_own_directory("STATIC_ROOT", STATIC_ROOT, BASE_DIR / "static", VAR_DIR)
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_URL = "/media/"
#: Folder of the pictures: the default is closed to other users, another one may let nginx's group read it.
MEDIA_ROOT = Path(env.str("MEDIA_ROOT", default="") or VAR_DIR / "media")
environment.require_own_directory("MEDIA_ROOT", MEDIA_ROOT, BASE_DIR / "static", VAR_DIR)
#: Whether nginx in front sends the files of MEDIA_ROOT that the site allows it (deploy/nginx.conf).
PICTURES_BY_NGINX = env.bool("PICTURES_BY_NGINX", default=False)
#: s3://key:secret@host/bucket?region=…: pictures are there, and browsers load them from there.
_MEDIA_STORAGE_URL = env.str("MEDIA_STORAGE_URL", default="")
MEDIA_BUCKET: bucket_url.Bucket | None = None
if _MEDIA_STORAGE_URL:
    MEDIA_BUCKET = environment.parse_setting("MEDIA_STORAGE_URL", _MEDIA_STORAGE_URL, bucket_url.parse)
    environment.require_package("MEDIA_STORAGE_URL", "storages")
    environment.require_package("MEDIA_STORAGE_URL", "boto3")
# Source maps are not compressed: they are megabytes, and only developers load them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
#: Largest request body where files go, of other forms, and of JSON, in bytes; a larger one is answered 413
#: before it is read.
MAX_BODY_BYTES, MAX_FORM_BYTES, MAX_JSON_BYTES = 12 * 1024 * 1024, 1024 * 1024, 64 * 1024
#: The same for a file of rows that a manager imports: 100,000 shops are 25 MB of CSV.
MAX_IMPORT_BYTES = 64 * 1024 * 1024
#: Paths under /api/ that take files.
API_UPLOAD_PATHS = {"/api/photos", "/api/me/avatar", "/api/chat-pictures"}
#: Most pictures that all processes together decode at once; each takes up to 430 MB and a core.
PICTURES_AT_ONCE = env.int("PICTURES_AT_ONCE", default=2)
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "apps.web.bucket_storage.BucketStorage", "OPTIONS": MEDIA_BUCKET.options}
    if MEDIA_BUCKET
    # The folder's group reads too, and others don't.
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"file_permissions_mode": 0o640, "directory_permissions_mode": 0o750},
    },
    "staticfiles": {"BACKEND": "apps.web.static_storage.Storage"},
}

# -- maps ---------------------------------------------------------------------------------------
#: URL template of map tiles, of your own server or one that you pay: "https://…/{z}/{x}/{y}.png". Pages then
#: may load pictures from its host. Empty: maps draw the city's ground themselves and ask nobody.
MAP_TILES = environment.require_tiles("MAP_TILES", env.str("MAP_TILES", default=""))
#: What the tiles' owner wants to read beside them: "© OpenStreetMap contributors".
MAP_ATTRIBUTION = env.str("MAP_ATTRIBUTION", default="")
#: The origin of the tiles, for the Content-Security-Policy's img-src; none for a path of the site itself.
#: For {s} the map writes a letter, so it may be any host of that domain.
_tiles = urlsplit(MAP_TILES)
MAP_SOURCES = [f"{_tiles.scheme}://{_tiles.netloc.replace('{s}', '*')}"] if _tiles.netloc else []

# -- the operator, for the imprint (without a name it says that it is not filled in) ------------
OPERATOR_NAME = env.str("OPERATOR_NAME", default="")
#: Lines, which the variable separates by "|".
OPERATOR_ADDRESS = env.str("OPERATOR_ADDRESS", default="").split("|")
OPERATOR_EMAIL = env.str("OPERATOR_EMAIL", default="") or next(iter(_ADMIN_ADDRESSES), "")
if OPERATOR_EMAIL:
    environment.require_mail_addresses("OPERATOR_EMAIL", [OPERATOR_EMAIL])
OPERATOR_PHONE = env.str("OPERATOR_PHONE", default="")
#: In China: the number of the registration (ICP).
OPERATOR_REGISTRATION = env.str("OPERATOR_REGISTRATION", default="")

# -- notifications in browsers (web push) ---------------------------------------------------------
#: The site's key to browsers' push services (`manage.py make_vapid_key`); empty: no browser is sent anything.
_VAPID_PRIVATE_KEY = env.str("VAPID_PRIVATE_KEY", default="")
VAPID_KEY: vapid.Key | None = None
if _VAPID_PRIVATE_KEY:
    VAPID_KEY = environment.parse_setting("VAPID_PRIVATE_KEY", _VAPID_PRIVATE_KEY, vapid.parse)
    if not OPERATOR_EMAIL:
        raise ImproperlyConfigured(
            "VAPID_PRIVATE_KEY needs OPERATOR_EMAIL: push services want to know whom to write to."
        )

# -- browser security ---------------------------------------------------------------------------
SECURE_SSL_REDIRECT = SECURE
# Health probes and Prometheus use plain HTTP inside the network.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SESSION_COOKIE_SECURE = SECURE
CSRF_COOKIE_SECURE = SECURE
#: Browsers take a cookie of this name only from this very host, over https: no subdomain can plant one.
HOST_COOKIE_PREFIX = "__Host-" if SECURE else ""
# The admin's cookies; the log-in cookie of the site is accounts.sessions.cookies.TOKEN_COOKIE.
SESSION_COOKIE_NAME = f"{HOST_COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{HOST_COOKIE_PREFIX}csrftoken"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "apps.web.problems.error_pages.csrf_failed"
# Of `manage.py check --deploy`:
SILENCED_SYSTEM_CHECKS = [
    # The site's forms are guarded by a request's origin (decision 077); the admin's views ask for tokens.
    "security.W003",
    # Whether all subdomains of a domain speak https, and stay in browsers' own lists for years, is the
    # operator's to say, in nginx's headers.
    "security.W005",
    "security.W021",
]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:", *MAP_SOURCES, *([MEDIA_BUCKET.origin] if MEDIA_BUCKET else [])],
        "connect-src": ["'self'"],
        "worker-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
