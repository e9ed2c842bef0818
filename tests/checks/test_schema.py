from django.apps import apps
from django.utils.module_loading import import_string

from apps.redis_kit import schema


def test_every_rebuilder_exists() -> None:
    for source, keys in schema.rebuilders():
        assert callable(import_string(source.replace(":", "."))), [key.pattern for key in keys]


def test_every_key_says_who_writes_it_and_when_it_ends() -> None:
    vague = [key.pattern for key in schema.declared() if not (key.writer and key.expiry and key.about)]
    assert not vague


def test_every_key_is_of_the_app_that_declares_it() -> None:
    ours = {key.app for key in schema.declared() if key.app != "kittest"}  # made up by tests
    assert ours <= {"kit"} | {config.label for config in apps.get_app_configs()}
