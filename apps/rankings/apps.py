from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.adminkit import roles
from apps.adminkit.roles import Role
from apps.web.shared_documents.variants import VARIANTS, Variant

#: Who may look at the rankings of past weeks.
PERMISSIONS = {Role.MANAGER: ("view_rank",)}


class RankingsConfig(AppConfig):
    name = "apps.rankings"
    verbose_name = _("Rankings")

    def ready(self) -> None:
        roles.register("rankings", PERMISSIONS)
        # Not at the top: it needs models, and this file is read before there are any.
        location = import_module("apps.shops.geo.location")
        for path in ("/rankings/", "/rankings/*"):
            VARIANTS.register(Variant(location.COOKIE_NAME, location.read_city), key=path)
