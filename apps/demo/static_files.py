"""collectstatic only when a source file changed: gathering and compressing them takes seconds."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_if_changed() -> bool:
    """Gather and compress the static files; False when the last gathering still holds."""
    stamp = Path(settings.STATIC_ROOT).with_suffix(".stamp")
    now = _sources_digest()
    if stamp.exists() and stamp.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=["redoc*"])
    stamp.write_text(now)
    return True


def _sources_digest() -> str:
    """A digest of every source's path, size and time of change."""
    seen = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = Path(storage.path(name)).stat()
            seen.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return seen.hexdigest()
