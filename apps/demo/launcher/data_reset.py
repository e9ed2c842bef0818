"""`make demo RESET=1`: deletes the demo's data, and no other files of VAR_DIR."""

import shutil
from pathlib import Path

from apps.demo import embedded_redis
from apps.demo.launcher.start_checks import LaunchError

#: Files and directories of the demo's data in VAR_DIR; logs and locks stay.
DATA_NAMES = (
    "savor.sqlite3",
    "savor.sqlite3-wal",
    "savor.sqlite3-shm",
    "redis",
    "media",
    "static",
    "static.stamp",
    "celerybeat-schedule",
    "city-size",
)


def delete_data(var_dir: Path) -> None:
    """Stop a Redis server that a killed demo left running, then delete the demo's data.

    Raises LaunchError for a symbolic link.
    """
    if (var_dir / "redis").exists() and embedded_redis.is_live(var_dir / "redis"):
        embedded_redis.adopt(var_dir / "redis").stop()
    for name in DATA_NAMES:
        place = var_dir / name
        if place.is_symlink():
            raise LaunchError(
                f"{place} is a link: RESET=1 removes only what the demo made. Remove it by hand."
            )
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
