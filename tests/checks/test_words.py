"""The words of docs/glossary.md: what stands there under "not" names nothing and is read by no visitor."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

from tests.checks import sources
from tests.checks.sources import Source

GLOSSARY = sources.ROOT / "docs" / "glossary.md"
NAMES, VARIABLES = "### In names of files", "### In names of parameters"
FIXTURES = "### In names of fixtures"
TEXTS, CHINESE = "### In texts that people read", "### In Chinese texts"
#: What a script has besides code: comments, and texts without the expressions in them.
JS_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
JS_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
TEMPLATE_TAG = re.compile(r"{{(.*?)}}|{%(.*?)%}", re.DOTALL)
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
CLASSES = re.compile(r'class="([^"]*)"')
#: Models keep the names of their tables; a renaming would be a migration.
MODELS = {("apps/follows/models.py", "Standing"), ("apps/signins/models.py", "Standing")}


def refused(heading: str) -> list[str]:
    """The first column of the table under a heading."""
    table = sources.text(GLOSSARY).partition(heading)[2].partition("\n#")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    assert len(rows) > 5, "the glossary has lost its table"
    return rows[2:]


def defined_names(source: Source) -> Iterator[str]:
    """The names that a file gives to itself, its functions, classes and constants."""
    yield Path(source.path).stem
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
    for statement in source.tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def words_of(heading: str) -> set[str]:
    """The refused names in the table under a heading."""
    return set(re.findall(r"`(\w+)`", " ".join(refused(heading))))


def variable_names(source: Source) -> Iterator[str]:
    """The names of a file's parameters, variables, fields and attributes that it sets."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def called_name(node: ast.expr) -> str:
    """ "fixture" of `@pytest.fixture(params=…)`, of `@fixture` and so on."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]


def task_names(source: Source) -> Iterator[str]:
    """The names under which a file's functions are Celery tasks."""
    for call in source.calls:
        if called_name(call) == "shared_task":
            given = (one.value for one in call.keywords if one.arg == "name")
            yield from (str(value.value) for value in given if isinstance(value, ast.Constant))


def script_identifiers(path: Path) -> set[str]:
    """The identifiers of a JavaScript module, also those inside `${…}`."""
    code = JS_TEXT.sub('""', JS_COMMENT.sub("", sources.text(path)))
    texts = re.findall(r"`[^`]*`", code)
    inside = " ".join(one for text in texts for one in re.findall(r"\${([^}]*)}", text))
    return set(re.findall(r"\w+", re.sub(r"`[^`]*`", "", code) + " " + inside))


def template_words(path: Path) -> set[str]:
    """The words in a template's variables and tags outside quotes, and the parts of its CSS classes."""
    page = re.sub(r"{%\s*comment.*?endcomment\s*%}", "", sources.text(path), flags=re.DOTALL)
    tags = " ".join(variable or tag for variable, tag in TEMPLATE_TAG.findall(page))
    names = set(re.findall(r"\w+", QUOTED.sub("", tags)))
    classes = CLASSES.findall(TEMPLATE_TAG.sub(" ", page))
    return names | set(re.findall(r"[a-z0-9]+", " ".join(classes)))


def test_nothing_has_a_refused_name() -> None:
    words = words_of(NAMES)
    found = [
        f"{source.path}: {name}"
        for source in sources.python_sources("apps", "config")
        for name in defined_names(source)
        if name.strip("_") in words and (source.path, name) not in MODELS
    ]
    assert not found, "\n".join(found)


def test_no_variable_has_a_refused_name() -> None:
    words = words_of(VARIABLES)
    found = [
        f"{source.path}: {name}"
        for source in sources.python_sources("apps", "config")
        for name in variable_names(source)
        if name.strip("_") in words
    ]
    assert not found, "\n".join(found)


def test_no_fixture_has_a_refused_name() -> None:
    words = words_of(NAMES) | words_of(VARIABLES) | words_of(FIXTURES)
    found = [
        f"{source.path}: {function.name}"
        for source in sources.python_sources("tests", "lab")
        for function in source.functions
        if function.name in words and "fixture" in map(called_name, function.decorator_list)
    ]
    assert not found, "\n".join(found)


def test_tasks_are_named_by_app_and_verb() -> None:
    words = words_of(NAMES) | words_of(VARIABLES)
    names = [name for source in sources.python_sources("apps") for name in task_names(source)]
    assert len(names) > 20
    found = [
        name
        for name in names
        if not re.fullmatch(r"[a-z]+\.[a-z]+(_[a-z]+)*", name) or words & set(re.split(r"[._]", name))
    ]
    assert not found, "\n".join(found)


def test_no_template_and_no_script_has_a_refused_name() -> None:
    words = words_of(VARIABLES)
    read = [(path, template_words(path)) for path in sources.files("*.html", "templates")]
    read += [(path, script_identifiers(path)) for path in sources.files("*.js", "static/js")]
    found = [f"{sources.display_path(path)}: {names & words}" for path, names in read if names & words]
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
