"""Django's settings, read from the environment; a wrong value stops the start with a one-sentence error."""

from datetime import timedelta
from typing import Any

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config import unsafe_settings
from config.celery_settings import *  # noqa: F403
from config.environment import *  # noqa: F403
from config.environment import BASE_DIR, REDIS_PREFIX, REDIS_URL, VAR_DIR, env
from config.file_settings import *  # noqa: F403
from config.log_settings import *  # noqa: F403
from config.map_settings import *  # noqa: F403
from config.map_settings import MAP_SOURCES
from config.operator_settings import *  # noqa: F403
from config.redis_connections import LOCK_SERVERS as LOCK_SERVERS
from config.redis_connections import REDIS_CONNECTIONS as REDIS_CONNECTIONS
from config.sale_settings import *  # noqa: F403
from config.unfold import UNFOLD as UNFOLD

# Adds the generics that Django 5.2 lacks at runtime, such as ModelForm[Shop].
django_stubs_ext.monkeypatch()

DEMO = env.bool("DEMO", default=False)
DEBUG = env.bool("DEBUG", default=False)
PRODUCTION = not (DEMO or DEBUG)

# -- secrets and hosts -------------------------------------------------------------------------
DEVELOPMENT_KEY = "development-only-key-that-production-refuses-to-start-with"
SECRET_KEY = env.str("SECRET_KEY", default="" if PRODUCTION else DEVELOPMENT_KEY)
if PRODUCTION:
    unsafe_settings.refuse_weak_key(SECRET_KEY)
#: Keys that SECRET_KEY has replaced: what they signed is believed until they are taken out.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
if DEMO and env.bool("SECURE", default=False):
    raise ImproperlyConfigured(
        "DEMO=1 shows log-in codes to everybody: unset DEMO where SECURE=1 serves real people."
    )
if DEBUG and env.bool("SECURE", default=False):
    raise ImproperlyConfigured("DEBUG=1 shows code and settings: unset DEBUG where SECURE=1 serves people.")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
SECURE = env.bool("SECURE", default=PRODUCTION)
#: Number of proxies in front that append to X-Forwarded-For and say the scheme and host that the client used;
#: 0: the peer's address is the client's, and nothing that is forwarded is believed.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
unsafe_settings.refuse_unsafe_hosts(
    ALLOWED_HOSTS, env.str("CSRF_TRUSTED_ORIGINS", default=""), TRUSTED_PROXIES
)
if DEMO:
    unsafe_settings.refuse_public_demo(env.str("HOST", default="127.0.0.1"), ALLOWED_HOSTS)

# -- applications ------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
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
    "ninja",
    "js_lib_leaflet",
    "apps.redis_kit",
    "apps.web",
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
    "apps.web.serving.security_headers.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "apps.web.serving.compression.CompressionMiddleware",
    "apps.backoffice.lens.middleware.LensMiddleware",
    "apps.web.csp.CspMiddleware",
    "apps.web.problems.middleware.ProblemMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    # After the rules on host and scheme, in a language; before those on origin and person.
    "apps.siteconfig.maintenance.middleware.MaintenanceMiddleware",
    "apps.web.cross_origin.CrossOriginMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "apps.accounts.staff.middleware.SecondFactorMiddleware",
    # Outside TokenMiddleware, which sets Vary and Cache-Control on a response first.
    "apps.uv.middleware.VisitMiddleware",
    "apps.accounts.middleware.TokenMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
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

# -- data --------------------------------------------------------------------------------------
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'savor.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE takes the write lock at BEGIN: a later upgrade from read to write can't fail as "locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Seconds that a connection is reused: opening one takes longer than a query, with SQLite too.
DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

#: Seconds between two reads of what operators have set (maintenance, settings), on a thread of each process;
#: 0: nothing is read until somebody asks.
SITECONFIG_POLL_SECONDS = env.float("SITECONFIG_POLL_SECONDS", default=1.0)
#: Concurrent loads from SQL by a process's caches, seconds that a load waits for its turn, and threads that
#: refresh stale values (0: the reader of a stale value refreshes it).
CACHE_LOADS = env.int("CACHE_LOADS", default=8)
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
        "OPTIONS": {
            "IGNORE_EXCEPTIONS": True,
            "SOCKET_TIMEOUT": 0.5,
            "SOCKET_CONNECT_TIMEOUT": 0.5,
            "CONNECTION_POOL_CLASS": "apps.redis_kit.observers.CachePool",
        },
    }

#: Whether the site's processes measure themselves: counters, timings and log lines for the admin's pages.
METRICS = env.bool("METRICS", default=True)
#: Bearer token with which Prometheus reads /metrics from another machine; without one only this machine may.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

# -- people ------------------------------------------------------------------------------------
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
OTP_TOTP_ISSUER = "Savor"
#: Apps to whose pages a first log-in leads at once, without the welcome: nobody is held up from a sale.
WELCOME_EXEMPT_APPS = {"coupons"}
PHONE_REGION = env.str("PHONE_REGION", default="CN")
LOGIN_CODE_TTL = timedelta(minutes=2)
TOKEN_TTL = timedelta(days=30)

# -- messages ----------------------------------------------------------------------------------
SMS_SENDER = env.str("SMS_SENDER", default="apps.outbox.sms.ConsoleSender")
#: smtp://user:password@host:587 (or smtp+tls, smtp+ssl); outside production the default prints e-mails.
try:
    _mail = env.email_url("EMAIL_URL", default="smtp://localhost:25" if PRODUCTION else "consolemail://")
except (ImproperlyConfigured, ValueError) as error:
    raise ImproperlyConfigured("EMAIL_URL is wrong: write smtp+tls://user:password@host:587.") from error
EMAIL_BACKEND, EMAIL_HOST, EMAIL_PORT = _mail["EMAIL_BACKEND"], _mail["EMAIL_HOST"], _mail["EMAIL_PORT"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_USER"], _mail["EMAIL_HOST_PASSWORD"]
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.get("EMAIL_USE_TLS", False), _mail.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("EMAIL_FROM", default="savor@localhost")
#: E-mail addresses that are notified of failed tasks and of reconciliations that do not agree.
ADMINS = [("", address) for address in env.list("ADMINS", default=[])]

# -- sales -------------------------------------------------------------------------------------
PAY_WITHIN = timedelta(seconds=env.int("PAY_WITHIN_SECONDS", default=900))
PAYMENT_PROVIDER = env.str("PAYMENT_PROVIDER", default="apps.coupons.payments.sandbox.Sandbox")
#: Secret that signs payment callbacks, at least 32 characters; the demo derives it from SECRET_KEY.
PAYMENT_SECRET = env.str("PAYMENT_SECRET", default="")
#: Base URL at which the sandbox bank reaches this site.
SITE_URL = env.str("SITE_URL", default=f"http://127.0.0.1:{env.int('PORT', default=8000)}")
#: Live streams that a web process serves at once, and those of one address (IPv6: /64); other pages poll.
STREAMS_PER_PROCESS = env.int("STREAMS_PER_PROCESS", default=10_000)
STREAMS_PER_ADDRESS = env.int("STREAMS_PER_ADDRESS", default=100)

# -- ads ---------------------------------------------------------------------------------------
#: Prices of ads by the plain formulas (1000 x price x clicks / views), without smoothing and exploration.
ADS_PLAIN_PRICES = env.bool("ADS_PLAIN_PRICES", default=False)

# -- feed --------------------------------------------------------------------------------------
#: Most followers of an author whose notes are written to inboxes; readers query other authors' notes.
FEED_PUSH_LIMIT = env.int("FEED_PUSH_LIMIT", default=10_000)
#: Most notes in a reader's inbox; older notes come from SQL.
FEED_INBOX_CAP = env.int("FEED_INBOX_CAP", default=1_000)

# -- language and time -------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
#: The site's translations, and those of texts that django-unfold leaves in English.
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "unfold"]
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="Asia/Shanghai")
CURRENCY = "CNY"

# -- files (where they lie and how large uploads may be: config/file_settings.py) ------------------
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "apps.web.static_storage.Storage"},
}

# -- browser security --------------------------------------------------------------------------
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
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:", *MAP_SOURCES],
        "connect-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
