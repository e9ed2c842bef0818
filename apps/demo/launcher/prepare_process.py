"""The child process that prepares the demo: `python -m apps.demo.launcher.prepare_process SHOPS`.

It loads Django, waits for a line on standard input, then runs `manage.py prepare_demo`. When that fails, it
prints one sentence on standard error and exits with code 1.
"""

import sys

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command


def main(shops: int) -> int:
    try:
        django.setup()
        # An empty read means that the launcher has ended meanwhile.
        if sys.stdin.readline():
            call_command("prepare_demo", shops=shops)
    except (ImproperlyConfigured, CommandError) as error:
        print(f"\nmake demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
