"""Paths and the Redis URL from the environment and .env; the settings modules import these first."""

from pathlib import Path

import environ

from apps.demo import embedded_address

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
env.read_env(BASE_DIR / ".env")

VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var"))).resolve()
#: Data directory of the embedded Redis server, which is used when REDIS_URL is not set.
REDIS_DIR = VAR_DIR / "redis"
REDIS_URL = env.str("REDIS_URL", default="") or embedded_address.url(REDIS_DIR)
#: Prefix of every Redis key of the site; two sites on one server need different prefixes.
REDIS_PREFIX = env.str("REDIS_PREFIX", default="savor")
