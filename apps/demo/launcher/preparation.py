"""What must be there before the first page: tables, static files, the demo city, and Redis filled from it."""

from concurrent.futures import ThreadPoolExecutor

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from apps.demo.launcher import static_files
from apps.demo.launcher.options import Options
from apps.demo.launcher.start_checks import LaunchError
from apps.redis_kit import client, eviction


def prepare(options: Options) -> None:
    """Bring SQL, static files and Redis to where the site can serve; what is unchanged is skipped."""
    try:
        eviction.require_noeviction(client.get())
        # Neither needs the other, and each has a core to use.
        with ThreadPoolExecutor(max_workers=1) as other:
            gathering = other.submit(static_files.collect_if_changed)
            _migrate()
            _seed_city(options)
            gathering.result()
    except client.UNAVAILABLE as error:
        raise LaunchError(
            f"Redis at {settings.REDIS_URL} can't be used ({error}): start it, or unset REDIS_URL."
        ) from None
    except (ImproperlyConfigured, CommandError) as error:
        raise LaunchError(str(error)) from None
    except DatabaseError as error:
        raise LaunchError(f"the database can't be used ({_first_line(error)}): see DATABASE_URL.") from error


def _migrate() -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def _seed_city(options: Options) -> None:
    """Make the city, or complete it: a demo of yesterday gets sales of today."""
    lost = not client.get().dbsize()
    # Asked by name: models can be imported only after the set-up, which this module does not wait for.
    there = apps.get_model("shops", "Shop")._default_manager.count()
    sized = {"shops": options.shops} if options.shops else {}
    call_command("seed_demo", verbosity=int(there < max(1, options.shops)), **sized)
    if there and lost:
        call_command("rebuild_redis")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
