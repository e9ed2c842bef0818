"""The back office app, at the top of the import order."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from apps.web.serving import sql_threads


class BackofficeConfig(AppConfig):
    name = "apps.backoffice"
    verbose_name = _("Back office")

    def ready(self) -> None:
        # Imported here because it needs models, which Django loads after this module.
        import_module("apps.backoffice.rebuild_labels").register()
        recording = import_module("apps.backoffice.lens.recording")
        sql_threads.AROUND_CALLS.register(recording.recording_statements, key="lens")
