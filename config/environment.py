"""Where things are, from the environment: read before any setting, because settings of all kinds need it."""

from pathlib import Path

import environ

from apps.demo import embedded_address

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
env.read_env(BASE_DIR / ".env")

VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var"))).resolve()
#: Data directory of the embedded server, which serves when REDIS_URL is not set.
REDIS_DIR = VAR_DIR / "redis"
REDIS_URL = env.str("REDIS_URL", default="") or embedded_address.url(REDIS_DIR)
#: Every key of ours starts with it; two applications on one server take two prefixes.
REDIS_PREFIX = env.str("REDIS_PREFIX", default="savor")
