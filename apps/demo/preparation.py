"""Prepares the demo's data: migrates SQL, collects static files, seeds the city and fills Redis.

Parts that are up to date are skipped, so a second start costs a few queries.
"""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from apps.coupons.claims import loading
from apps.demo import addresses, embedded_redis
from apps.demo.city import DEFAULT_SEED, DEFAULT_SHOPS
from apps.redis_kit import addresses as redis_addresses
from apps.redis_kit import client, eviction
from apps.shops.models import Shop

#: Name of a file in VAR_DIR.
SIZE_FILE = "city-size"


def prepare(shop_count: int) -> None:
    """Prepare SQL, static files and Redis for a site with `shop_count` shops (0: as many as it has).

    Raises CommandError when Redis or SQL can't be used, ImproperlyConfigured when Redis may evict keys.
    """
    try:
        eviction.require_noeviction(client.get())
        # Static files and SQL are independent: prepare both at once, on two cores.
        with ThreadPoolExecutor(max_workers=1) as executor:
            collecting = executor.submit(_collect_static_files)
            _migrate()
            _seed_city(shop_count)
            if stopped_run := embedded_redis.read_stopped_run(settings.REDIS_DIR):
                loading.load_after_orderly_stop(stopped_run)
            addresses.import_made_up(seed=DEFAULT_SEED)
            collecting.result()
    except client.UNAVAILABLE as error:
        raise CommandError(
            f"Redis at {redis_addresses.hide_passwords(settings.REDIS_URL)} can't be used ({error}): "
            "start it, or unset REDIS_URL."
        ) from None
    except DatabaseError as error:
        raise CommandError(f"the database can't be used ({_first_line(error)}): see DATABASE_URL.") from error


def _migrate() -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        print("Making the tables ...", flush=True)
        call_command("migrate", interactive=False, verbosity=0)


def _seed_city(shop_count: int) -> None:
    """Seed the city or complete it (an older demo gets new sales); refill an empty Redis from SQL."""
    is_redis_empty = not client.count_keys(client.get())
    existing = Shop.objects.count()
    size = max(shop_count, _read_size() if existing else 0) or min(existing, DEFAULT_SHOPS) or DEFAULT_SHOPS
    if existing:
        print(
            f"Looking whether the city's {existing} shops, their people and sales are complete ...",
            flush=True,
        )
    call_command("seed_demo", verbosity=int(existing < size), shops=size)
    _size_file().write_text(f"{size}\n")
    if existing and is_redis_empty:
        call_command("rebuild_redis")


def _size_file() -> Path:
    """The file with the number of shops that the demo made: people add others, by hand and by imports."""
    return Path(settings.VAR_DIR) / SIZE_FILE


def _read_size() -> int:
    """The number in it; 0 without one."""
    try:
        return int(_size_file().read_text())
    except (OSError, ValueError):
        return 0


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _collect_static_files() -> bool:
    """Collect and compress the static files; False when none has changed since the last time."""
    # Not beside STATIC_ROOT: in a container that is no place to write.
    stamp = Path(settings.VAR_DIR) / "static.stamp"
    now = _digest_static_sources()
    if stamp.exists() and stamp.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=["redoc*"])
    stamp.write_text(now)
    return True


def _digest_static_sources() -> str:
    """Return a digest of every source file's path, size and modification time."""
    seen = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = Path(storage.path(name)).stat()
            seen.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return seen.hexdigest()
