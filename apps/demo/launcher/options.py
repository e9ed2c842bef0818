"""The options of `make demo`, read from the environment."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from apps.demo.launcher.start_checks import LaunchError

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Options:
    """The options of `make demo`, from make variables or the environment; `shops` is 0 without SHOPS."""

    port: int
    var_dir: Path
    shops: int
    reset: bool
    embedded: bool

    @classmethod
    def from_environment(cls) -> Self:
        """Read and check the variables; raises LaunchError that names a wrong one."""
        return cls(
            port=_read_number("PORT", default=8000, least=1, most=65_535),
            var_dir=Path(os.environ.get("VAR_DIR") or ROOT / "var").expanduser().resolve(),
            shops=_read_number("SHOPS", default=0, least=50, most=10_000_000),
            reset=os.environ.get("RESET", "") not in ("", "0"),
            embedded=not os.environ.get("REDIS_URL"),
        )

    def environment(self) -> dict[str, str]:
        """Return the environment variables for every process of the demo."""
        return os.environ | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DEMO": "1",
            # The demo shows log-in codes, so it listens on loopback only, whatever HOST says.
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "VAR_DIR": str(self.var_dir),
            "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONUNBUFFERED": "1",
        }


def _read_number(name: str, *, default: int, least: int, most: int) -> int:
    text = os.environ.get(name)
    if not text:
        return default
    # The length first: Python reads no number of thousands of digits.
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise LaunchError(f"{name} must be a number from {least} to {most}, not {text!r:.80}.")
    return int(text)
