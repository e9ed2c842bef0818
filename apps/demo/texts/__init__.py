"""The demo's texts, menus and plans: TOML files of this folder."""

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

#: A text in English and in Chinese.
TextPair = tuple[str, str]


def read(name: str) -> dict[str, Any]:
    """The content of a file of this folder, by its name without `.toml`."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


def pair(found: Sequence[str]) -> TextPair:
    """A text in both languages; ValueError unless there are two."""
    english, chinese = found
    return english, chinese


def pairs(found: Iterable[Sequence[str]]) -> tuple[TextPair, ...]:
    """Texts in both languages."""
    return tuple(pair(one) for one in found)
