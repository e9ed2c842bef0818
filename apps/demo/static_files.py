"""Runs collectstatic only when a source file changed, since collecting and compressing takes seconds."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_if_changed() -> bool:
    """Collect and compress the static files; False when none has changed since the last time."""
    stamp = Path(settings.STATIC_ROOT).with_suffix(".stamp")
    now = _sources_digest()
    if stamp.exists() and stamp.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=["redoc*"])
    stamp.write_text(now)
    return True


def _sources_digest() -> str:
    """Return a digest of every source file's path, size and modification time."""
    seen = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = Path(storage.path(name)).stat()
            seen.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return seen.hexdigest()
