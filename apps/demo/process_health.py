"""Reports the processes of `make demo` that end again and again: the site is degraded, and goes on."""

from django.conf import settings
from django.utils.translation import gettext_noop

from apps.demo.launcher import exit_record
from apps.monitoring import health
from apps.web.stored_texts import Template

ENDED = Template(gettext_noop("ended: %(processes)s"))


def check_processes() -> health.Result:
    """Every process that the launcher started has run for a while; healthy where no launcher runs."""
    exits = exit_record.read(settings.VAR_DIR)
    if not exits:
        return health.Result(True)
    ended = "; ".join(f"{name} ({ending})" for name, ending in sorted(exits.items()))
    return health.Result(False, ENDED.fill(processes=ended))
