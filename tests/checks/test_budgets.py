"""How long things may be; a longer one wants to be two."""

import re
from statistics import median

from tests.checks import sources

FUNCTION_MEDIAN, FUNCTION_NINE_IN_TEN, FUNCTION_MAX = 8, 25, 40
VIEW_MAX = 15
FILE_MEDIAN, FILE_MAX = 80, 300
LUA_MAX = 60
#: An app's views and API: a file, or a folder of them.
VIEWS = re.compile(r"/(views|api)(\.py$|/)")


def test_no_function_is_too_long() -> None:
    long = [
        f"{source.path}:{function.lineno} {function.name} has {sources.line_count(function)} lines"
        for source in sources.python_sources("apps", "config", "tests")
        for function in source.functions()
        if sources.line_count(function) > FUNCTION_MAX
    ]
    assert not long, "\n".join(long)


def test_functions_are_short_as_a_rule() -> None:
    lengths = sorted(
        sources.line_count(function)
        for source in sources.python_sources("apps", "config")
        for function in source.functions()
    )
    assert median(lengths) <= FUNCTION_MEDIAN
    assert lengths[len(lengths) * 9 // 10] <= FUNCTION_NINE_IN_TEN


def test_views_read_call_and_answer() -> None:
    long = [
        f"{source.path}:{function.lineno} {function.name} has {sources.line_count(function)} lines"
        for source in sources.python_sources("apps")
        for function in source.functions()
        if VIEWS.search(source.path) and sources.line_count(function) > VIEW_MAX
    ]
    assert not long, "\n".join(long)


def test_files_are_short() -> None:
    lengths = {source.path: source.lines for source in sources.python_sources("apps", "config", "tests")}
    assert not {path: lines for path, lines in lengths.items() if lines > FILE_MAX}
    assert median(lines for path, lines in lengths.items() if lines and "tests" not in path) <= FILE_MEDIAN


def test_lua_is_short() -> None:
    lengths = {
        sources.display_path(path): path.read_text().count("\n") for path in sources.files("*.lua", "apps")
    }
    assert lengths
    assert not {path: lines for path, lines in lengths.items() if lines > LUA_MAX}
