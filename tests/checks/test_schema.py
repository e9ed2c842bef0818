import re

from django.apps import apps
from django.utils.module_loading import import_string

from apps.redis_kit import schema
from tests.checks import sources

APPS = sources.ROOT / "apps"


def writer_exists(writer: str, app: str) -> bool:
    """Whether an app has the script `lua/name`, or the module, function or class `module.name`."""
    if writer == "Celery":
        return True
    if "lua/" in writer:
        return any(APPS.glob(f"{app}/**/{writer}.lua"))
    module, *names = writer.split(".")
    files = [*APPS.glob(f"{app}/**/{module}.py"), *APPS.glob(f"{app}/**/{module}/__init__.py")]
    defined = [rf"^ *(async )?(def|class) {name}\b" for name in names]
    return any(all(re.search(name, file.read_text(), re.M) for name in defined) for file in files)


def test_every_rebuilder_exists() -> None:
    for source, keys in schema.rebuilders():
        assert callable(import_string(source.replace(":", "."))), [key.pattern for key in keys]


def test_every_key_says_who_writes_it_and_when_it_ends() -> None:
    vague = [key.pattern for key in schema.declared() if not (key.writer and key.expiry and key.about)]
    assert not vague


def test_every_key_is_of_the_app_that_declares_it() -> None:
    ours = {key.app for key in schema.declared() if key.app != "kittest"}  # made up by tests
    assert ours <= {"kit"} | {config.label for config in apps.get_app_configs()}


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
