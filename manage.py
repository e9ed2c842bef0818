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
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if settings.configured:
            raise
        # A wrong variable: the settings could not be read, and a command wanted them.
        sys.exit(f"Savor doesn't start: {error}")
