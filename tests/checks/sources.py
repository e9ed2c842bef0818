"""The project's own files, as the checks read them: each is read and parsed once a process.

Nothing is read while tests are collected, since every worker of pytest imports all of them.
"""

import ast
import gc
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """A Python file: its path from the root, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @cached_property
    def functions(self) -> list[Function]:
        """Every function and method, the inner ones too."""
        return _list_functions(self.tree)

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call of a function or a class."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]

    @property
    def lines(self) -> int:
        return self.text.count("\n")


@cache
def python_sources(*folders: str) -> list[Source]:
    """The Python files under folders of the root, migrations left out."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    # Millions of nodes stay: looking through them for garbage takes three times as long as parsing.
    gc.disable()
    try:
        return [parse(path) for path in paths if "migrations" not in path.parts]
    finally:
        gc.freeze()
        gc.enable()


@cache
def files(pattern: str, *folders: str) -> list[Path]:
    """Files of a pattern under folders of the root; there are some, or a check would pass without any."""
    found = sorted(path for folder in folders for path in (ROOT / folder).rglob(pattern))
    assert found, f"no {pattern} in {folders}"
    return found


@cache
def text(path: Path) -> str:
    """What a file says."""
    return path.read_text()


def display_path(path: Path) -> str:
    """A path as a message shows it."""
    return str(path.relative_to(ROOT))


def _list_functions(tree: ast.Module) -> list[Function]:
    """The functions of a tree: they are statements, and most nodes are inside expressions."""
    found, rest = list[Function](), list[ast.AST]([tree])
    while rest:
        node = rest.pop()
        if isinstance(node, Function):
            found.append(node)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            rest += getattr(node, part, [])
    return found


@cache
def parse(path: Path) -> Source:
    """A Python file, read and parsed."""
    return Source(display_path(path), text(path), ast.parse(text(path)))


def line_count(function: Function) -> int:
    """Lines from `def` to the last one, docstring included, decorators not."""
    return (function.end_lineno or function.lineno) - function.lineno + 1
