"""Compares four queues on a Redis of its own: `make bench-queues`, or `python -m lab.bench.queues`."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below

from apps.demo import embedded_redis  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from lab.bench.queues import command  # noqa: E402


def main() -> int:
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        return command.main(sys.argv[1:], os.environ)
    finally:
        client.close_all()
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
