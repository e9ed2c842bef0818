"""Django's migrate; after the whole site has been migrated, it prepares the roles' groups."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from apps.accounts.staff import role_groups


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        require_release(options["database"])
        super().handle(*args, **options)
        is_partial = options["app_label"] or options["check_unapplied"] or options["plan"]
        if not is_partial and not options["prune"]:
            role_groups.prepare_all()


def require_release(database: str) -> None:
    """Raise CommandError for a database that has a part only of what one migration replaces.

    Django would leave out that migration, and so what is missing, in silence.
    """
    applied = set(MigrationRecorder(connections[database]).applied_migrations())
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    for migration in loader.disk_migrations.values():
        missing = set(migration.replaces) - applied
        if missing and len(missing) < len(migration.replaces):
            raise CommandError(
                f"This database is older than release 0.1.0 ({migration.app_label} lacks {min(missing)[1]}): "
                "migrate it with that release first, as docs/upgrading.md says. A demo: make demo RESET=1."
            )
