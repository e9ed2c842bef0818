"""`python -m config.preflight`: what must hold before a process serves, in a sentence when it doesn't.

It loads the settings but no application, so it costs a fraction of a `manage.py` start.
"""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from apps.redis_kit import client, eviction


def check() -> None:
    """ImproperlyConfigured when the settings are wrong or Redis may evict; a Redis that is away may come."""
    try:
        eviction.require_noeviction(client.get())
    except client.UNAVAILABLE as error:
        print(
            f"Redis at {settings.REDIS_URL} is away ({error}): pages work, sales wait for it.",
            file=sys.stderr,
        )


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        check()
    except ImproperlyConfigured as error:
        print(f"Savor doesn't start: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
