#!/usr/bin/env python
import os
import sys

from django.core.management import execute_from_command_line

from apps.web import terminal_text

if __name__ == "__main__":
    terminal_text.guard_standard_streams()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)
