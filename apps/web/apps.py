from django.apps import AppConfig
from django.urls import register_converter
from django.utils.translation import gettext_lazy as _

from apps.web.problems.ids import BigIdConverter


class WebConfig(AppConfig):
    name = "apps.web"
    verbose_name = _("Web")

    def ready(self) -> None:
        register_converter(BigIdConverter, "bigid")
