"""Makes the key by which the site signs what it sends to browsers: python manage.py make_vapid_key."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.mailbox import vapid


class Command(BaseCommand):
    help = "Print a new VAPID_PRIVATE_KEY. With another key all browsers have to be asked anew: keep it."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"VAPID_PRIVATE_KEY={vapid.make()}")
