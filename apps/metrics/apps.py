from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MetricsConfig(AppConfig):
    name = "apps.metrics"
    verbose_name = _("Metrics")
