from django.apps import AppConfig


class SlotsConfig(AppConfig):
    name = "apps.slots"
