"""Measures what each persistence setting of Redis costs and loses on this machine: `make bench-persistence`.

The servers are its own; the settings are the site's, whose admin shows the last result.
"""

import os
import sys

import django
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    django.setup()
except ImproperlyConfigured as why:
    sys.exit(str(why))

from lab.bench.persistence import command  # noqa: E402 - after the settings

if __name__ == "__main__":
    sys.exit(command.main(sys.argv[1:], os.environ))
