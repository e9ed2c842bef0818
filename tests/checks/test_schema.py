import re

from django.apps import apps

from apps.monitoring.rebuilding import REBUILDS
from apps.redis_kit import schema
from tests.checks import sources

APPS = sources.ROOT / "apps"
#: Writers that are no code of ours.
LIBRARIES = {"Celery", "Kombu", "Django"}


def writer_exists(writer: str, app: str) -> bool:
    """Whether an app has the script `lua/name`, or the module, function or class `room.module.name`."""
    if writer in LIBRARIES:
        return True
    if writer.startswith("redis_kit."):
        return writer_exists(writer.removeprefix("redis_kit."), "redis_kit")
    if "lua/" in writer:
        return any(APPS.glob(f"{app}/**/{writer}.lua"))
    words = writer.split(".")
    return any(
        all(re.search(rf"^ *(async )?(def|class) {name}\b", file.read_text(), re.M) for name in words[depth:])
        for depth in range(1, len(words) + 1)
        for file in APPS.glob(f"{app}/**/{'/'.join(words[:depth])}.py")
    )


def test_every_rebuild_is_provided_and_has_keys() -> None:
    assert {source for source, _keys in schema.rebuilders()} == {name for name, _ in REBUILDS.items()}


def test_every_key_says_who_writes_it_and_when_it_ends() -> None:
    vague = [key.pattern for key in schema.declared() if not (key.writer and key.expiry and key.about)]
    assert not vague


def test_every_key_is_of_the_app_that_declares_it() -> None:
    ours = {key.app for key in schema.declared() if key.app != "kittest"}  # made up by tests
    assert ours <= {"kit", "django"} | {config.label for config in apps.get_app_configs()}


def test_every_writer_exists() -> None:
    """`writer` names scripts (lua/claim) and verbs (loading.load), parted by commas."""
    lost = [
        f"{key.pattern}: {writer}"
        for key in schema.declared()
        if key.app != "kittest"
        for writer in key.writer.split(", ")
        if not writer_exists(writer, "*" if key.app == "kit" else key.app)
    ]
    assert not lost, "\n".join(lost)
