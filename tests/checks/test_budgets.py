"""How long functions, scripts and lines may be; `make lint` prints long files and full folders."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import tree_sitter_lua
from tree_sitter import Language, Node, Parser

from tests.checks import sources

FUNCTION_MAX = 40
PYTHON_FOLDERS = ("apps", "config", "tests", "lab")
LUA_STATEMENTS_MAX, LUA_LINE_MAX = 100, 100
#: Characters of a line of a template or a style sheet.
WIDTH_MAX = 120
#: Shapes and shaders of scenes, whose lines are coordinates.
GEOMETRY = "lab/pictures/"

LUA_PARSER = Parser(Language(tree_sitter_lua.language()))


def test_no_function_is_too_long() -> None:
    long = [
        f"{source.path}:{function.lineno} {function.name} has {sources.line_count(function)} lines"
        for source in sources.python_sources(*PYTHON_FOLDERS)
        for function in source.functions
        if sources.line_count(function) > FUNCTION_MAX and not source.path.startswith(GEOMETRY)
    ]
    assert not long, "\n".join(long)


def test_lua_reads_line_by_line() -> None:
    """Statements are counted, not newlines, so that nothing is won by writing two on a line."""
    long = [complaint for path in sources.files("*.lua", "apps") for complaint in complain_of_lua(path)]
    assert not long, "\n".join(long)


def complain_of_lua(path: Path) -> Iterator[str]:
    """Where a script is too long, too crowded or too wide."""
    name = sources.display_path(path)
    blocks = list(lua_blocks(sources.text(path), name))
    statements = sum(map(len, blocks))
    if statements > LUA_STATEMENTS_MAX:
        yield f"{name} has {statements} statements"
    for first, second in (pair for block in blocks for pair in pairwise(block)):
        if first.end_point.row == second.start_point.row:
            yield f"{name}:{first.start_point.row + 1} has two statements on a line"
    yield from complain_of_width(path, LUA_LINE_MAX)


def complain_of_width(path: Path, most: int) -> Iterator[str]:
    """Where a file has a line of more characters."""
    for number, line in enumerate(sources.text(path).splitlines(), 1):
        if len(line) > most:
            yield f"{sources.display_path(path)}:{number} has {len(line)} characters"


def test_templates_and_styles_keep_to_the_width() -> None:
    paths = [*sources.files("*.html", "templates", "lab"), *sources.files("*.css", "static")]
    wide = [complaint for path in paths for complaint in complain_of_width(path, WIDTH_MAX)]
    assert not wide, "run `make format`, or break the line:\n" + "\n".join(wide)


def lua_blocks(text: str, name: str) -> Iterator[list[Node]]:
    """The statements of each block, the script itself first; comments are none. Raises on what is no Lua."""
    root = LUA_PARSER.parse(text.encode()).root_node
    assert not root.has_error, f"{name} is no valid Lua"
    yield from _walk_blocks(root)


def _walk_blocks(node: Node) -> Iterator[list[Node]]:
    if node.type in {"chunk", "block"}:
        yield [child for child in node.named_children if child.type != "comment"]
    for child in node.named_children:
        yield from _walk_blocks(child)
