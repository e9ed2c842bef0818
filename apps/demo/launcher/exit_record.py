"""Names the processes that ended of late, in a file of VAR_DIR that web reads for /readyz."""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path

FILE_NAME = "exits.json"


def write(var_dir: Path, exits: Mapping[str, str]) -> None:
    """Save each process's last exit ("exit code 1, 3 in a row") by its name; a full disk changes nothing."""
    with contextlib.suppress(OSError):
        written = var_dir / f"{FILE_NAME}.new"
        written.write_text(json.dumps(exits))
        written.replace(var_dir / FILE_NAME)


def read(var_dir: Path) -> dict[str, str]:
    """The saved exits; {} when every process runs, or when nothing supervises them here."""
    try:
        return {
            str(name): str(ending) for name, ending in json.loads((var_dir / FILE_NAME).read_text()).items()
        }
    except (OSError, ValueError, AttributeError):
        return {}
