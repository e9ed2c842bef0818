"""Keeps what the site writes on this machine from the machine's other users."""

import os
import stat
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

DIRECTORY_MODE, FILE_MODE = 0o700, 0o600
_OTHERS = 0o077


def make_private(var_dir: Path, database: dict[str, Any]) -> None:
    """Make VAR_DIR and an SQLite database, where they are missing, so that their owner alone reads them.

    An existing database file is closed to others. Raises ImproperlyConfigured for a directory that others may
    read, which is not changed: another web server may serve files from it.
    """
    try:
        var_dir.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        if _is_open_to_others(var_dir):
            raise ImproperlyConfigured(
                f"VAR_DIR can be read by other users: 'chmod 700 {var_dir}'. Static files that nginx serves "
                "lie in a directory of their own (STATIC_ROOT)."
            )
        if database["ENGINE"].endswith("sqlite3") and database["NAME"] != ":memory:":
            _close_file(Path(database["NAME"]))
    except OSError as error:
        raise ImproperlyConfigured(f"VAR_DIR {var_dir} can't be used: {error}.") from error


def _close_file(file: Path) -> None:
    """Make the file if there is none, and let only its owner read it; SQLite's other files copy its mode."""
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, FILE_MODE))
    if _is_open_to_others(file):
        file.chmod(FILE_MODE)


def _is_open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & _OTHERS)
