"""The site's own code as its files have it: a script's Lua, a function's Python."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.patterns.pattern import Pattern

#: The folder that holds `apps`.
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class SourceText:
    """A piece of code: its file, the first line's number (0: the whole file), its text and language."""

    path: str
    line: int
    text: str
    language: str

    @property
    def name(self) -> str:
        """The file, with the line where only a part of it is shown."""
        return f"{self.path}:{self.line}" if self.line else self.path


def for_pattern(pattern: Pattern) -> list[SourceText]:
    """Its scripts, then its functions."""
    lua = [SourceText(f"{script.name}.lua", 0, script.text, "Lua") for script in pattern.scripts]
    return [*lua, *map(_read_function, pattern.functions)]


def _read_function(function: Callable[..., Any]) -> SourceText:
    lines, first = inspect.getsourcelines(inspect.unwrap(function))
    path = Path(inspect.getsourcefile(inspect.unwrap(function)) or "").resolve()
    return SourceText(str(path.relative_to(_ROOT)), first, inspect.cleandoc("\n" + "".join(lines)), "Python")
