"""The project's settings, in a directory of this process: each xdist worker has its own Redis and SQL."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

#: Short, because a unix socket's path has about 100 bytes.
RUN_DIR = Path(tempfile.mkdtemp(prefix="savor-"))
atexit.register(shutil.rmtree, RUN_DIR, ignore_errors=True)

# Set before config.settings reads them. Tests flush their Redis: never the one of REDIS_URL.
os.environ |= {
    "VAR_DIR": str(RUN_DIR),
    "REDIS_URL": "",
    "CELERY_BROKER_URL": "memory://",
    "DEMO": "0",
    "DEBUG": "0",
    "SECURE": "0",
    # No thread sends beside the tests; those about it start one.
    "METRICS": "0",
    "SECRET_KEY": "tests-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2,
}

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, REDIS_CONNECTIONS, STORAGES  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in the demo: threads share an in-memory database without its locks.
    DATABASES["default"]["TEST"] = {"NAME": str(RUN_DIR / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"] |= {"timeout": 60}
# A thread of a test that kept its connection would hold the database that the last test drops.
DATABASES["default"]["CONN_MAX_AGE"] = 0
#: Children of a test kill themselves at a place; production refuses this.
FAULT_INJECTION = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_AUTOREFRESH = True
#: A sale that a test's Redis has lost sells on at once; tests of the hold set it.
SALE_HOLD_SECONDS = 0.0
SALE_LOSS_POLL_SECONDS = 0.0
TOKEN_RENEWAL_SECONDS = 0.0
#: Seconds for a call and for a free connection; generous, since a crowded machine's Redis is slow.
#: A test about lateness sets its own (the fixtures impatient_redis and frozen_redis).
TEST_DEADLINE_SECONDS = 20.0
REDIS_CONNECTIONS = {
    name: one | {"deadline": TEST_DEADLINE_SECONDS} for name, one in REDIS_CONNECTIONS.items()
}
#: A test that closes the site or changes a setting has it read at once.
SITECONFIG_POLL_SECONDS = 0.0
#: A thread that writes a log would send Redis what a test counts.
ACCESS_LOG_DIR = None
CACHE_LOAD_WAIT = TEST_DEADLINE_SECONDS
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
