"""Things this code does not do, each for a reason that cost somebody an evening."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.browser import page_list
from tests.checks import sources

#: Where streams hold copies.
TRIMMED_COPIES = ("apps/front/live/", "apps/chat/", "apps/logship/")
DUMPING_GROUNDS = {"utils", "helpers", "helper", "common", "misc", "base", "services", "selectors", "lib"}


def code() -> list[sources.Source]:
    """What runs on the site."""
    return sources.python_sources("apps", "config")


def find_occurrences(pattern: str) -> list[str]:
    """Where a pattern occurs in the code."""
    return [
        f"{source.path}:{number} {line.strip()}"
        for source in code()
        for number, line in enumerate(source.text.splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_no_file_is_a_dumping_ground() -> None:
    names = [source.path for source in code() if Path(source.path).stem in DUMPING_GROUNDS]
    # Django finds a database's backend by this name.
    assert names == ["apps/web/postgresql/base.py"]


def test_no_stream_is_trimmed() -> None:
    """Trimming throws away orders that nobody has read yet; entries leave by XDEL after the commit.

    The recent events of live streams are copies: who misses some is told to load everything again. Blocks of
    logs are copies of files, and go behind what every analyser has counted.
    """
    scripts = {sources.display_path(path): sources.text(path) for path in sources.files("*.lua", "apps")}
    lua = [
        name
        for name, text in scripts.items()
        if re.search("MAXLEN|XTRIM", text) and not name.startswith(TRIMMED_COPIES)
    ]
    assert not lua + find_occurrences(r"xadd\(.*maxlen|xtrim\(")


def test_nothing_is_pickled() -> None:
    """Who can write to Redis could run code here."""
    assert not find_occurrences(r"\bpickle\b")


def test_no_behaviour_hides_in_signals() -> None:
    assert not find_occurrences(r"django\.(db\.models|core|dispatch).*(signals|receiver)|@receiver")


def test_no_lua_is_written_in_python() -> None:
    """A script is a file with a header; glued text is neither read nor checked."""
    glued = [
        f"{source.path}:{node.lineno}"
        for source in code()
        for node in source.calls
        if isinstance(node.func, ast.Attribute)
        and node.func.attr in {"eval", "register_script"}
        and node.args
        and isinstance(node.args[0], ast.JoinedStr | ast.BinOp | ast.Constant)
    ]
    assert not glued


def test_shops_are_written_by_their_verbs_alone() -> None:
    """A shop saved past apps/shops/changes.py keeps its old place in the GEO index and its old page."""
    writes = {"save", "delete", "update", "create", "bulk_create", "bulk_update", "get_or_create"}
    shops = re.compile(r"(.*\.)?(Shop\.objects\b.*|shops?)")
    past = [
        f"{source.path}:{node.lineno}"
        for source in code()
        for node in source.calls
        if isinstance(node.func, ast.Attribute)
        and node.func.attr in writes
        and shops.fullmatch(ast.unparse(node.func.value))
    ]
    assert [
        place for place in past if not place.startswith(("apps/shops/changes.py", "apps/shops/migrations"))
    ] == []
    assert len(past) >= 5


def test_validators_of_pydantic_raise_its_own_error() -> None:
    """It keeps a ValueError with its traceback, and so the whole request, in a cycle that is never freed."""
    names, raised = set[str](), []
    for source in code():
        names |= {
            argument.id
            for call in source.calls
            if ast.unparse(call.func).endswith("Validator")
            for argument in call.args
            if isinstance(argument, ast.Name)
        }
    for source in code():
        for function in source.functions:
            is_validator = function.name in names or "_validator" in "".join(
                map(ast.unparse, function.decorator_list)
            )
            raised += [
                f"{source.path}:{node.lineno}"
                for node in ast.walk(function)
                if is_validator and isinstance(node, ast.Raise) and "ValueError" in ast.unparse(node)
            ]
    assert "plain_int" in names
    assert not raised, "raise pydantic_core.PydanticCustomError"


def test_no_patience_is_left_in_the_code() -> None:
    assert not find_occurrences(r"\b(TODO|FIXME|XXX|HACK)\b")


def test_no_test_is_switched_off() -> None:
    """The one gate for what a machine lacks is in conftest.py."""
    marks = re.compile(r"pytest\.(skip|xfail|importorskip)\(|mark\.(skip|xfail)")
    assert not [
        source.path
        for source in sources.python_sources("tests", "lab")
        if marks.search(source.text) and source.path != "tests/checks/test_habits.py"
    ]


def test_no_test_sleeps() -> None:
    """It waits for a condition (sites.wait_until, pages.wait_for); faults are made of time."""
    asleep = re.compile(r"\btime\.sleep\b|^from time import .*\bsleep\b", re.MULTILINE)
    lasting = ("tests/faults/", "tests/checks/test_habits.py")
    assert not [
        source.path
        for source in sources.python_sources("tests")
        if asleep.search(source.text) and not source.path.startswith(lasting)
    ]


def test_a_template_has_no_inline_script_or_style() -> None:
    """The Content-Security-Policy would drop them; a script of data is none. E-mails have no other style."""
    pages = [path for path in sources.files("*.html", "templates", "apps") if path.name != "mail.html"]
    found = [where for path in pages for where in find_inline(path)]
    assert not found, "\n".join(found)


def find_inline(path: Path) -> Iterator[str]:
    """Where a template has code or style of its own."""
    text = re.sub(r"{#.*?#}|{% comment.*?endcomment %}", "", sources.text(path), flags=re.DOTALL)
    script = r"<script(?![^>]*(\bsrc=|type=\"(application/json|importmap)))[^>]*>"
    for inline in re.finditer(rf"{script}|<style\b|\sstyle=|\son[a-z]+=|javascript:", text):
        yield f"{sources.display_path(path)}: {inline[0].strip()}"


def test_every_package_is_pinned_and_has_its_reason() -> None:
    pin = re.compile(r"[\w.-]+(\[\w+\])?==[\w.]+ +# \S.*")
    for name in (
        "requirements.txt",
        "requirements-demo.txt",
        "requirements-providers.txt",
        "requirements-traces.txt",
        "requirements-lab.txt",
        "requirements-dev.txt",
    ):
        lines = [
            line for line in sources.text(sources.ROOT / name).splitlines() if line and line[0] not in "#-"
        ]
        assert lines, name
        assert not [f"{name}: {line}" for line in lines if not pin.fullmatch(line)]


def test_a_style_for_the_dark_is_for_a_dark_system_too() -> None:
    """A theme is chosen or the system's: a rule for the chosen one alone is for few people."""
    chosen, systems = ':root[data-theme="dark"]', ':root:not([data-theme="light"])'
    found = {
        path.name: text.count(chosen) - text.count(systems)
        for path in sources.files("*.css", "static/css")
        if path.name != "tokens.css" and chosen in (text := sources.text(path))
    }
    assert found == {"map.css": 0}


def test_every_page_is_in_a_list() -> None:
    known = page_list.listed_names() | set(page_list.ELSEWHERE) | page_list.NO_PAGES
    assert page_list.site_names() - known == set(), "put it into tests/browser/page_list.py"


def test_no_list_names_what_is_gone() -> None:
    named = set(page_list.ELSEWHERE) | page_list.NO_PAGES
    assert named - page_list.site_names() == set()
