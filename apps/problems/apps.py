from django.apps import AppConfig
from django.urls import register_converter
from django.utils.translation import gettext_lazy as _

from apps.problems.ids import BigIdConverter


class ProblemsConfig(AppConfig):
    name = "apps.problems"
    verbose_name = _("Problems")

    def ready(self) -> None:
        register_converter(BigIdConverter, "bigid")
