"""Steps the wall clock of single processes: a small library preloaded into them adds what a file says.

No right is needed and the machine's clock stays. Without a C compiler there is no library, and no step.
"""

import mmap
import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class StepClock:
    """The clock of all processes that run with `environment`; seconds beside the machine's time."""

    def __init__(self, directory: Path, name: str) -> None:
        self.library = _built_library(directory)
        self._file = directory / f"{name}.clock"
        self._file.write_bytes(struct.pack("d", 0.0))

    @property
    def environment(self) -> dict[str, str]:
        if self.library is None:
            return {}
        return {"LD_PRELOAD": str(self.library), "CLOCK_FILE": str(self._file)}

    def set(self, seconds: float) -> None:
        """Step to so many seconds ahead of the machine's time, or behind."""
        # One store of eight bytes, as the library reads them.
        with self._file.open("r+b") as file, mmap.mmap(file.fileno(), 8) as mapped:
            mapped[:8] = struct.pack("d", seconds)


def _built_library(directory: Path) -> Path | None:
    compiler, built = shutil.which("cc"), directory / "clock.so"
    if compiler and not built.exists():
        subprocess.run([compiler, "-shared", "-fPIC", "-O2", str(SOURCE), "-o", str(built)], check=True)
    return built if compiler else None
