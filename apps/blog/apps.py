from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BlogConfig(AppConfig):
    name = "apps.blog"
    verbose_name = _("Notes")

    def ready(self) -> None:
        # Not at the top: these need models, and this file is read before there are any.
        import_module("apps.blog.panels")
        import_module("apps.blog.feed").register()
