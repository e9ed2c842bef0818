"""Reports the processes of `make demo` that end again and again: the site is degraded, and goes on."""

from django.conf import settings

from apps.demo.launcher import exit_record
from apps.monitoring import health


def check_processes() -> health.Result:
    """Every process that the launcher started has run for a while; healthy where no launcher runs."""
    exits = exit_record.read(settings.VAR_DIR)
    return health.Result(
        not exits, "; ".join(f"{name} ended: {ending}" for name, ending in sorted(exits.items()))
    )
