"""The siteconfig app: what operators change while the site runs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SiteconfigConfig(AppConfig):
    name = "apps.siteconfig"
    verbose_name = _("Running the site")
