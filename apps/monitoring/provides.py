"""What monitoring gives to others: health checks, gauges, two parts of the reconciliation, and rights."""

from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.metrics.gauges import GAUGES, Gauge
from apps.monitoring import health, memory, rebuilding
from apps.monitoring.health import CHECKS, HealthCheck
from apps.monitoring.reconcile import key_types, parts, runs
from apps.siteconfig.components import copies

# Redis is for the site's operators, who are superusers.
roles.PERMISSIONS.register({Role.MANAGER: ("view_metrics",)}, key="monitoring")

CHECKS.register(HealthCheck(health.database, label=_("Database")), key="sql")
CHECKS.register(HealthCheck(health.redis_answers, label=_("Redis answers")), key="redis")
CHECKS.register(HealthCheck(health.redis_takes_writes, label=_("Redis takes writes")), key="redis_writes")
CHECKS.register(HealthCheck(health.redis_policy, label=_("Redis keeps its keys")), key="redis_policy")
CHECKS.register(HealthCheck(health.redis_has_room, label=_("Room in Redis")), key="redis_room")

GAUGES.register(
    Gauge("Memory of an area of expendable keys in Redis, estimated.", memory.read_used_bytes, "area"),
    key="savor_redis_area_bytes",
)
GAUGES.register(
    Gauge(
        "Memory of an area of expendable keys in Redis past which some are deleted; 0: none.",
        memory.read_allowed_bytes,
        "area",
    ),
    key="savor_redis_area_quota_bytes",
)
GAUGES.register(
    Gauge("Since a part of the reconciliation was last clean.", runs.read_clean_ages, "part"),
    key="savor_reconcile_clean_age_seconds",
)
GAUGES.register(
    Gauge("Differences that the last run of a part left.", runs.read_left, "part"),
    key="savor_reconcile_differences",
)
GAUGES.register(
    Gauge("Differences that the last run of a part repaired.", runs.read_fixed, "part"),
    key="savor_reconcile_repaired",
)

# Before all others, which read what it left.
parts.register("keys.types", key_types.check, about="types and expiries of all Redis keys", order=0)
parts.register(
    "siteconfig.settings", batches=copies.SETTINGS.compare, about="settings changed while the site runs"
)

rebuilding.register(copies.rebuild, _("Settings that operators changed"))
