from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.monitoring import checks, health, panels


class MonitoringConfig(AppConfig):
    name = "apps.monitoring"
    verbose_name = _("Monitoring")

    def ready(self) -> None:
        health.register("sql", checks.database)
        health.register("redis", checks.redis_answers)
        health.register("redis_policy", checks.redis_policy)
        health.register("redis_room", checks.redis_room)
        panels.register(80, "monitoring/panels/health.html", panels.health_answers, needs_redis=False)
        panels.register(
            90, "monitoring/panels/memory.html", panels.memory_report, permission="monitoring.view_redis"
        )
        panels.register(
            95, "monitoring/panels/redis.html", panels.redis_facts, permission="monitoring.view_redis"
        )
