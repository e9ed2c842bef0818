from django.apps import AppConfig


class AdminkitConfig(AppConfig):
    name = "apps.adminkit"
