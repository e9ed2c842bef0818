#!/usr/bin/env python
import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from apps.web import terminal_text

if __name__ == "__main__":
    terminal_text.guard_standard_streams()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        # Read here, where a wrong variable is a sentence; inside a command it would be a traceback.
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.exit(f"Savor doesn't start: {error}")
    execute_from_command_line(sys.argv)
