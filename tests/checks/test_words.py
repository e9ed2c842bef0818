"""The words of docs/glossary.md: what stands there under "not" names nothing and is read by no visitor."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

from tests.checks import sources
from tests.checks.sources import Source

GLOSSARY = sources.ROOT / "docs" / "glossary.md"
NAMES = "### In public names"
TEXTS, CHINESE = "### In texts that people read", "### In Chinese texts"
#: Models keep the names of their tables; a renaming would be a migration.
MODELS = {("apps/follows/models.py", "Standing"), ("apps/signins/models.py", "Standing")}


def refused(heading: str) -> list[str]:
    """The first column of the table under a heading."""
    table = sources.text(GLOSSARY).partition(heading)[2].partition("\n#")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    assert len(rows) > 5, "the glossary has lost its table"
    return rows[2:]


def refused_names() -> set[str]:
    """The names in the table of public names."""
    return set(re.findall(r"`(\w+)`", " ".join(refused(NAMES))))


def public_names(source: Source) -> Iterator[str]:
    """The names by which other files know a file, its functions, methods, classes and constants."""
    yield Path(source.path).stem
    for statement in source.tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        yield from (target.id for target in targets if isinstance(target, ast.Name))
    classes = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    for body in (source.tree.body, *(node.body for node in classes)):
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name


def called_name(node: ast.expr) -> str:
    """ "fixture" of `@pytest.fixture(params=…)`, of `@fixture` and so on."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]


def task_names(source: Source) -> Iterator[str]:
    """The names under which a file's functions are Celery tasks."""
    for call in source.calls:
        if called_name(call) == "shared_task":
            given = (one.value for one in call.keywords if one.arg == "name")
            yield from (str(value.value) for value in given if isinstance(value, ast.Constant))


def test_no_public_name_is_refused() -> None:
    """What only its own file sees, parameters, variables and private names, may have the plainest word."""
    words = refused_names()
    found = [
        f"{source.path}: {name}"
        for source in sources.python_sources("apps", "config")
        for name in public_names(source)
        if name in words and (source.path, name) not in MODELS
    ]
    assert not found, "\n".join(found)


def test_tasks_are_named_by_app_and_verb() -> None:
    words = refused_names()
    names = [name for source in sources.python_sources("apps") for name in task_names(source)]
    assert len(names) > 20
    found = [
        name
        for name in names
        if not re.fullmatch(r"[a-z]+\.[a-z]+(_[a-z]+)*", name) or words & set(re.split(r"[._]", name))
    ]
    assert not found, "\n".join(found)


def test_no_text_has_refused_words() -> None:
    """The catalogue holds every text of pages, admin, messages and API, and its translation."""
    with (sources.ROOT / "locale/zh_Hans/LC_MESSAGES/django.po").open("rb") as file:
        messages = [message for message in read_po(file) if message.id]
    texts, chinese = refused(TEXTS), refused(CHINESE)
    found = [
        f"{words}: {message.locations}"
        for message in messages
        for refused_words, text in ((texts, message.id), (chinese, message.string))
        for words in refused_words
        if words in str(text)
    ]
    assert not found, "\n".join(found)


def test_no_page_cites_what_the_repository_lacks() -> None:
    """A reader can't open the designer's notes; what matters of them is in docs/."""
    cites = re.compile(
        r"\b(DESIGN|FAULTS|FLAWS|FEATURES|STYLE)\b( section|\.md| [A-Z]?\d)|\bseed 00\d|shared/"
    )
    paths = [
        *sources.files("*.py", "apps", "config", "tests", "lab"),
        *sources.files("*.lua", "apps"),
        *sources.files("*.md", "docs"),
        *sources.files("*.html", "templates"),
    ]
    found = [
        f"{sources.display_path(path)}:{number}"
        for path in paths
        for number, line in enumerate(sources.text(path).splitlines(), 1)
        if cites.search(line) and path != Path(__file__)
    ]
    assert not found, "\n".join(found)
