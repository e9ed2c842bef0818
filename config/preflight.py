"""`python -m config.preflight`: checks settings, files and Redis before a start; one sentence on failure.

It loads the settings but no application, so it costs a fraction of a `manage.py` start.
"""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from apps.redis_kit import addresses, client, eviction
from config import private_files


def check() -> None:
    """Check settings, files and Redis; raises ImproperlyConfigured for what is not safe.

    A Redis that does not answer is only reported on standard error: it may start later.
    """
    if settings.PRODUCTION:
        private_files.make_private(settings.VAR_DIR, settings.DATABASES["default"])
    try:
        eviction.require_noeviction(client.get())
    except client.UNAVAILABLE as error:
        print(
            f"Redis at {addresses.hide_passwords(settings.REDIS_URL)} is away ({error}): "
            "pages work, sales wait for it.",
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
