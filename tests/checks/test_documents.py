"""Documents say what the code does: settings, decisions, effects, pictures, plug points, versions, CI."""

import ast
import os
import re
import runpy
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from pytest_django.fixtures import Settings

from apps.queues.owed import EFFECTS
from config.environment import Environment
from config.version import __version__
from tests.checks import sources
from tests.checks.sources import ROOT
from tests.checks.test_settings import load

GITHUB = ROOT / ".github"

DECISIONS = ROOT / "docs" / "decisions"
#: A row of the list: number, title, file, date and status.
ROW = re.compile(r"^\| (\d{3}) \| \[(.+)\]\((\S+)\)[^|]*\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
FORMER_NUMBER = re.compile(r"^\| (\d{3}) \|", re.MULTILINE)
#: A link to a file of this repository, without the part of the page.
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
#: A file of tests, and the name, or its beginning, of one of them.
TEST = re.compile(r"[`\"]((?:tests|lab)/[\w/]+\.py)(?:::(\w*))?")
PAGES = (
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
)
#: What calls effects of others, and the words for it.
MECHANISM = ("queues/owed.py", "web/on_commit.py")
HOOKS = {"on_commit", "run_after_commit"}
#: A line of a table: the effect, who owes it, what remembers it, who repeats it.
LINE = re.compile(r"^\| `([\w.]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
#: Names that come from settings, from a walk over a package, or from a package that is costly to import.
IMPORTED_BY_NAME = {
    "apps/accounts/login/passkeys.py",
    "apps/coupons/payments/provider.py",
    "apps/outbox/sms.py",
    "apps/patterns/registry.py",
    "apps/search/text/stems.py",
    "apps/web/outgoing_http.py",
    "apps/web/readings.py",
}


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def env_example() -> Any:
    return runpy.run_path(str(ROOT / "docs" / "write_env_example.py"))


def test_the_example_of_variables_is_up_to_date() -> None:
    assert (ROOT / ".env.example").read_text() == env_example()["render"](), "run `make env-example`"


def test_the_example_has_every_variable_once() -> None:
    named = re.findall(r"^#([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    read = set(re.findall(r'\benv\.\w+\(\s*"([A-Z_]+)"', sources.text(ROOT / "config" / "settings.py")))
    assert len(named) == len(set(named))
    assert read - set(named) == {"CSRF_TRUSTED_ORIGINS"}


def test_the_defaults_of_the_example_are_those_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each number sign that stands before a value is taken away."""
    lines = [
        line.removeprefix("#")
        for line in (ROOT / ".env.example").read_text().splitlines()
        if re.match(r"#[A-Z_]+=.", line)
    ]
    assert len(lines) > 40
    (tmp_path / ".env").write_text("\n".join(lines))
    with monkeypatch.context() as clean:
        for name in list(Environment.ENVIRON):
            clean.delenv(name)
        Environment().read_file(tmp_path / ".env")
        variables = {line.partition("=")[0]: Environment.ENVIRON[line.partition("=")[0]] for line in lines}
    # Each is the default with DEMO=1, and in the directory of the tests.
    variables |= {"DEMO": "1", "VAR_DIR": os.environ["VAR_DIR"]}
    as_written, as_usual = load(**variables), load(DEMO="1")
    differences = {
        name
        for name, value in vars(as_usual).items()
        # Unfold's have functions, which are others each time.
        if name.isupper() and name != "UNFOLD" and vars(as_written)[name] != value
    }
    assert differences == set()


def test_the_index_names_every_document() -> None:
    page = (ROOT / "docs" / "README.md").read_text()
    linked = {(ROOT / "docs" / target).resolve() for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page)}
    assert [str(path) for path in linked if not path.exists()] == []
    documents = {
        path.resolve()
        for pattern in ("*.md", "api/*", "grafana/*", "patterns/*.md")
        for path in (ROOT / "docs").glob(pattern)
    }
    assert {path.name for path in documents - linked} == {"README.md"}


@pytest.mark.django_db
def test_one_number_is_the_version(client: Client) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert client.get("/api/openapi.json").json()["info"]["version"] == __version__
    assert client.get("/readyz").json()["version"] == __version__
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", heading) for heading in headings[1:])
    assert [heading.partition(" ")[0] for heading in headings[1:2]] in ([__version__], [])


def test_staff_read_the_version_at_the_foot_of_the_admin_and_in_the_lens(
    boss: Client, settings: Settings
) -> None:
    settings.DEMO = True
    for path in ("/admin/", "/admin/lens/", "/admin/password_change/", "/lens/"):
        assert f"Savor {__version__}" in boss.get(path).content.decode()


def test_ci_runs_the_check_on_each_supported_python() -> None:
    workflow = read_yaml(GITHUB / "workflows" / "check.yml")
    job = workflow["jobs"]["check"]
    # "on" is a truth value to YAML 1.1.
    assert {"push", "pull_request", "schedule"} == set(workflow[True])
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert job["container"] == "python:${{ matrix.python }}-bookworm"
    assert {"run": ".ci/run"} in job["steps"]
    assert workflow["permissions"] == {"contents": "read"}
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["python_version"]
    assert job["strategy"]["matrix"]["python"][0] == oldest


@pytest.mark.parametrize("name", ["fault", "wish"])
def test_an_issue_form_has_what_github_wants(name: str) -> None:
    form = read_yaml(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert {"name", "description", "body"} <= set(form)
    assert len({part["id"] for part in form["body"]}) == len(form["body"])
    for part in form["body"]:
        assert part["type"] in {"textarea", "input", "dropdown", "checkboxes"}
        assert part["attributes"]["label"]
        assert bool(part["attributes"].get("options")) == (part["type"] in {"dropdown", "checkboxes"})
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_hooks_before_a_commit_call_what_lint_calls() -> None:
    [repository] = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    assert [hook["language"] for hook in repository["hooks"]] == ["system"] * 6
    lint = sources.text(ROOT / "tests" / "check.py")
    for hook in repository["hooks"]:
        [program] = set(re.findall(r"\.venv/bin/([\w-]+)", hook["entry"]))
        assert f'BIN / "{program}"' in lint


def list_decisions() -> list[tuple[str, ...]]:
    return [row.groups() for row in ROW.finditer((DECISIONS / "README.md").read_text())]


def read_decisions() -> Iterator[tuple[str, ...]]:
    """Each decision by its own page, as its row in the list must be."""
    for page in DECISIONS.glob("[0-9]*.md"):
        title, _, about, *_ = page.read_text().splitlines()
        number, _, name = title.removeprefix("# ").partition(" ")
        date, status, _ = about.split(" · ")
        yield number, name, page.name, date, status


def test_the_list_has_every_decision_as_its_page_says_it() -> None:
    assert sorted(list_decisions()) == sorted(read_decisions())


def test_every_number_stands_once_in_the_list_or_in_the_history() -> None:
    former = FORMER_NUMBER.findall((DECISIONS / "history.md").read_text())
    numbers = sorted([*former, *(number for number, *_ in list_decisions())])
    assert numbers == [f"{number:03}" for number in range(1, len(numbers) + 1)]


def test_links_between_documents_lead_somewhere() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {link}" for page in PAGES for link in links(page) if not leads(page, link)
    ]
    assert not dead, "\n".join(dead)


def test_the_tests_that_are_named_exist() -> None:
    """In documents, and beside the planted bugs that they have to catch."""
    places = [
        *sources.files("*.md", "docs"),
        ROOT / "CONTRIBUTING.md",
        ROOT / "lab" / "mutants" / "planted.toml",
    ]
    gone = [
        f"{sources.display_path(place)}: {path} {name}"
        for place in places
        for path, name in TEST.findall(sources.text(place))
        if not (ROOT / path).exists() or f"def {name}" not in sources.text(ROOT / path)
    ]
    assert not gone, "\n".join(gone)


def links(page: Path) -> list[str]:
    found: list[str] = LINK.findall(page.read_text())
    return found


def leads(page: Path, link: str) -> bool:
    return (page.parent / link).exists()


def find_effects() -> set[tuple[str, str]]:
    """(effect, file that owes it) of each call in the apps; an effect is the last name of what is called."""
    found = set()
    for path in sorted((ROOT / "apps").rglob("*.py")):
        name = str(path.relative_to(ROOT / "apps"))
        if name in MECHANISM:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _last_name(node.func) in HOOKS and node.args:
                found.add((_effect_name(node.args[0]), name))
    return found


def _effect_name(act: ast.expr) -> str:
    """`load` of load, loading.load, partial(load, 7), and of lambda: load(7)."""
    if isinstance(act, ast.Lambda):
        return _effect_name(act.body)
    if isinstance(act, ast.Call):
        return _effect_name(act.args[0]) if _last_name(act.func) == "partial" else _last_name(act.func)
    return _last_name(act)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def read_table() -> dict[str, set[str]]:
    """{effect: the files that owe it} of the document."""
    table: dict[str, set[str]] = {}
    for effect, files, _remembered, _repeated in LINE.findall((ROOT / "docs" / "effects.md").read_text()):
        named = set(re.findall(r"`([\w/]+\.py)`", files))
        table[effect] = table.get(effect, set()) | named
    return table


def test_the_table_names_each_effect_and_who_owes_it() -> None:
    named = {(effect.rpartition(".")[2], path) for effect, files in read_table().items() for path in files}
    found = find_effects()
    assert found - named == set(), "add a line to docs/effects.md: what remembers it, who does it again"
    assert named - found == set(), "nobody owes these any more"


def test_the_table_says_which_effects_are_rows() -> None:
    text = (ROOT / "docs" / "effects.md").read_text()
    rows = {line[0] for line in LINE.findall(text.partition("## Marks")[0])}
    registered = {".".join(name.split(".")[-2:]) for name, _effect in EFFECTS.items()}
    assert registered - rows == set(), "these are registered, and in no line"
    assert rows - registered == set(), "these are no registered effects"


def test_each_line_says_what_remembers_and_who_repeats() -> None:
    for effect, _files, remembered, repeated in LINE.findall((ROOT / "docs" / "effects.md").read_text()):
        assert all((remembered.strip(), repeated.strip())), effect


def test_pictures_are_up_to_date() -> None:
    drawn = runpy.run_path(str(sources.ROOT / "docs" / "draw_pictures.py"))["documents"]()
    stale = [str(path) for path, text in drawn.items() if path.read_text() != text]
    assert not stale, "run `make pictures`"


@cache
def plug_points_script() -> dict[str, Any]:
    return runpy.run_path(str(sources.ROOT / "docs" / "list_plug_points.py"))


def test_the_table_of_plug_points_names_every_registry() -> None:
    table = plug_points_script()["render"]()
    assert all(
        f"| `{one.short_name}` |" in table
        for one in plug_points_script()["find_points"]().registries.values()
    )


def test_two_apps_register_in_a_registry() -> None:
    """With one it becomes an argument, a tag or an import, or says in ONE_APP why it can't."""
    assert set(plug_points_script()["find_points"]().with_one_app()) == set(plug_points_script()["ONE_APP"])


def test_registrations_stand_in_provides() -> None:
    assert plug_points_script()["find_points"]().elsewhere == []


def test_one_app_looks_for_provides_and_no_other_is_ready() -> None:
    """But for the two that start Sentry's client and OpenTelemetry's, each installed by its setting alone."""
    ready = [
        source.path
        for source in sources.python_sources("apps")
        if source.path.endswith("/apps.py") and any(each.name == "ready" for each in source.functions)
    ]
    assert ready == ["apps/error_reports/apps.py", "apps/tracing/apps.py", "apps/web/apps.py"]


def test_no_module_is_imported_by_a_name_in_a_string() -> None:
    importers = {
        source.path
        for source in sources.python_sources("apps", "config")
        for call in source.calls
        if ast.unparse(call.func).rpartition(".")[2] in {"import_module", "import_string", "__import__"}
    }
    assert importers == IMPORTED_BY_NAME
