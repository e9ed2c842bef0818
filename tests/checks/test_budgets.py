"""How long things may be; a longer one wants to be two."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from tests.checks import lua, sources

FUNCTION_MEDIAN, FUNCTION_NINE_IN_TEN, FUNCTION_MAX = 8, 25, 40
VIEW_MAX = 15
FILE_MEDIAN, FILE_MAX = 80, 300
FOLDER_MAX = 20
PYTHON_FOLDERS = ("apps", "config", "tests", "lab")
LUA_STATEMENTS_MAX, LUA_LINE_MAX = 100, 100
#: Characters of a line of a template or a style sheet.
WIDTH_MAX = 120
#: An app's views and API: a file, or a folder of them.
VIEWS = re.compile(r"/(views|api)(\.py$|/)")


def test_no_function_is_too_long() -> None:
    long = [
        f"{source.path}:{function.lineno} {function.name} has {sources.line_count(function)} lines"
        for source in sources.python_sources(*PYTHON_FOLDERS)
        for function in source.functions
        if sources.line_count(function) > FUNCTION_MAX
    ]
    assert not long, "\n".join(long)


def test_functions_are_short_as_a_rule() -> None:
    lengths = sorted(
        sources.line_count(function)
        for source in sources.python_sources("apps", "config")
        for function in source.functions
    )
    assert median(lengths) <= FUNCTION_MEDIAN
    assert lengths[len(lengths) * 9 // 10] <= FUNCTION_NINE_IN_TEN


def test_views_read_call_and_answer() -> None:
    long = [
        f"{source.path}:{function.lineno} {function.name} has {sources.line_count(function)} lines"
        for source in sources.python_sources("apps")
        for function in source.functions
        if VIEWS.search(source.path) and sources.line_count(function) > VIEW_MAX
    ]
    assert not long, "\n".join(long)


def test_files_are_short() -> None:
    lengths = {source.path: source.lines for source in sources.python_sources(*PYTHON_FOLDERS)}
    assert not {path: lines for path, lines in lengths.items() if lines > FILE_MAX}
    code = (lines for path, lines in lengths.items() if lines and path.startswith(("apps/", "config/")))
    assert median(code) <= FILE_MEDIAN


def test_a_folder_is_a_place() -> None:
    """Past twenty modules side by side a folder opens rooms."""
    modules = Counter(
        str(Path(source.path).parent)
        for source in sources.python_sources(*PYTHON_FOLDERS)
        if not source.path.endswith("__init__.py")
    )
    assert not {folder: count for folder, count in modules.items() if count > FOLDER_MAX}


@pytest.mark.parametrize("path", sources.files("*.lua", "apps"), ids=sources.display_path)
def test_lua_reads_line_by_line(path: Path) -> None:
    """Statements are counted, not newlines, so that nothing is won by writing two on a line."""
    text = path.read_text()
    blocks = list(lua.blocks(text))
    assert sum(map(len, blocks)) <= LUA_STATEMENTS_MAX
    crowded = [
        first.start_point.row + 1
        for block in blocks
        for first, second in pairwise(block)
        if first.end_point.row == second.start_point.row
    ]
    assert not crowded, "two statements on a line"
    assert not [number for number, line in enumerate(text.splitlines(), 1) if len(line) > LUA_LINE_MAX]


@pytest.mark.parametrize(
    "path",
    [*sources.files("*.html", "templates", "lab"), *sources.files("*.css", "static")],
    ids=sources.display_path,
)
def test_templates_and_styles_keep_to_the_width(path: Path) -> None:
    long = [number for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > WIDTH_MAX]
    assert not long, "run `make format`, or break the line"
