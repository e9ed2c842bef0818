"""The geoip app: the city of an address, from MaxMind's published files."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GeoipConfig(AppConfig):
    name = "apps.geoip"
    verbose_name = _("Cities of addresses")
