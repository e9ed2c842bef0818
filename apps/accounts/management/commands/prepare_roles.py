"""Makes and completes the groups of the prepared roles: python manage.py prepare_roles."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.accounts.staff import role_groups


class Command(BaseCommand):
    help = "Make the groups of the prepared roles and add the permissions that they miss."

    def handle(self, *args: Any, **options: Any) -> None:
        for role, added in role_groups.prepare_all().items():
            self.stdout.write(f"{role.value}: {added} permissions added")
