from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.uv import page_kinds


class ShopsConfig(AppConfig):
    name = "apps.shops"
    verbose_name = _("Shops")

    def ready(self) -> None:
        page_kinds.register("home", kind="home")
        page_kinds.register("shops:list", kind="shops")
        page_kinds.register("shops:map", kind="map")
        page_kinds.register("shops:detail", kind="shop", argument="shop_id")
