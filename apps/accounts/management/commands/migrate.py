"""Django's migrate; after the whole site has been migrated, it prepares the roles' groups."""

from typing import Any

from django.core.management.commands import migrate

from apps.accounts.staff import role_groups


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        is_partial = options["app_label"] or options["check_unapplied"] or options["plan"]
        if not is_partial and not options["prune"]:
            role_groups.prepare_all()
