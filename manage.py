#!/usr/bin/env python
import os
import sys

try:
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
except ModuleNotFoundError:
    sys.exit(
        f"Savor's packages are not installed for {sys.executable}: run 'make demo' once, then type "
        "'.venv/bin/python manage.py' in place of 'python manage.py'."
    )

from apps.web import terminal_text

if __name__ == "__main__":
    terminal_text.guard_standard_streams()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        if sys.argv[1:2] == ["shell"]:
            # Django opens one without settings, in which nothing of the site works.
            settings.INSTALLED_APPS  # noqa: B018 - reads them
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if settings.configured:
            raise
        # A wrong variable: the settings could not be read, and a command wanted them.
        sys.exit(f"Savor doesn't start: {error}")
