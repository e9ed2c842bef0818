from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QueuesConfig(AppConfig):
    name = "apps.queues"
    verbose_name = _("Tasks")
