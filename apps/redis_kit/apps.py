from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RedisKitConfig(AppConfig):
    name = "apps.redis_kit"
    verbose_name = _("Redis kit")
