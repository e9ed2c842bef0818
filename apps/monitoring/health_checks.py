"""Health checks of the database and of Redis."""

from django.db import connection
from django.utils.translation import gettext_noop

from apps.monitoring import keys
from apps.monitoring.health import Result
from apps.redis_kit import client, eviction
from apps.web.stored_texts import Template

#: Share of maxmemory past which writes will soon be refused.
MAX_MEMORY_SHARE = 0.9

MAY_EVICT = Template(gettext_noop("maxmemory-policy may evict keys; set it to noeviction"))
FILE_NOT_WRITTEN = Template(gettext_noop("the append-only file can't be written"))
MEMORY_USED = Template(gettext_noop("%(share)s of maxmemory"))
NO_MEMORY_LIMIT = Template(gettext_noop("no memory limit"))


def database() -> Result:
    """SQL answers and its tables exist."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
        return Result(cursor.fetchone() is not None, connection.vendor)


def redis_answers() -> Result:
    """Redis answers PING."""
    return Result(bool(client.get().ping()))


def redis_takes_writes() -> Result:
    """Redis is a master with room on its disk, in its memory, and with the replicas that it wants."""
    # XX: only where the key is there, which it never is. Redis refuses it as any write, and changes nothing.
    client.get().set(keys.WRITE_PROBE(), "1", xx=True)
    return Result(True)


def redis_policy() -> Result:
    """Redis is set to evict no keys, since keys record sold coupons."""
    try:
        eviction.require_noeviction(client.get())
    except eviction.EvictingRedisError:
        return Result(False, MAY_EVICT.fill())
    return Result(True, "noeviction")


def redis_has_room() -> Result:
    """Redis has memory left and can write its append-only file."""
    info = client.get().info()
    if info.get("aof_last_write_status", "ok") != "ok":
        return Result(False, FILE_NOT_WRITTEN.fill())
    limit = int(info.get("maxmemory", 0))
    share = int(info.get("used_memory", 0)) / limit if limit else 0.0
    detail = MEMORY_USED.fill(share=f"{share:.0%}") if limit else NO_MEMORY_LIMIT.fill()
    return Result(share < MAX_MEMORY_SHARE, detail)
