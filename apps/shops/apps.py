from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.uv import pages


class ShopsConfig(AppConfig):
    name = "apps.shops"
    verbose_name = _("Shops")

    def ready(self) -> None:
        pages.register("home", kind="home")
        pages.register("shops:list", kind="shops")
        pages.register("shops:map", kind="map")
        pages.register("shops:detail", kind="shop", argument="shop_id")
