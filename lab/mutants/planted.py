"""The bugs of planted.toml."""

import tomllib
from pathlib import Path
from typing import NamedTuple


class Mutant(NamedTuple):
    """A bug: `old`, which `path` has once, becomes `new`; `tests` are files and folders for pytest.

    They run on SQLite, or on PostgreSQL where the bug is about what SQLite does anyway.
    """

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]
    postgres: bool = False


def _read_mutants() -> tuple[Mutant, ...]:
    rows = tomllib.loads(Path(__file__).with_name("planted.toml").read_text())["mutant"]
    return tuple(Mutant(**row | {"tests": tuple(row["tests"])}) for row in rows)


MUTANTS = _read_mutants()
