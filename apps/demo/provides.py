"""What the demo gives to others: a health check of its processes."""

from django.utils.translation import gettext_lazy as _

from apps.demo import process_health
from apps.monitoring.health import CHECKS, HealthCheck

# Not needed for readiness: whoever answers /readyz runs, and the checks of SQL and Redis speak for those.
CHECKS.register(
    HealthCheck(process_health.check_processes, label=_("Processes"), needed=False), key="processes"
)
