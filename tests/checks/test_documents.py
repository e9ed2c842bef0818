"""The documents that are written from others, the index that names all, and the files that GitHub reads."""

import os
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from pytest_django.fixtures import Settings

from config.environment import Environment
from config.version import __version__
from tests.checks import sources
from tests.checks.sources import ROOT
from tests.checks.test_settings import load

GITHUB = ROOT / ".github"


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
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
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
