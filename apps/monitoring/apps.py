from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import panels as dashboard_panels
from apps.monitoring import health, health_checks, panels


class MonitoringConfig(AppConfig):
    name = "apps.monitoring"
    verbose_name = _("Monitoring")

    def ready(self) -> None:
        health.register("sql", health_checks.database)
        health.register("redis", health_checks.redis_answers)
        health.register("redis_policy", health_checks.redis_policy)
        health.register("redis_room", health_checks.redis_has_room)
        dashboard_panels.register(
            80, "admin/monitoring/panels/health.html", panels.health_context, needs_redis=False
        )
        dashboard_panels.register(
            90,
            "admin/monitoring/panels/memory.html",
            panels.memory_context,
            permission="monitoring.view_redis",
        )
        dashboard_panels.register(
            95, "admin/monitoring/panels/redis.html", panels.redis_context, permission="monitoring.view_redis"
        )
