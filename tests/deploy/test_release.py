"""`make release` in a clone: the version, the changelog's heading, the tag and the table of releases."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sites import ROOT

#: What the script reads and writes; stand-ins write the API's promise and the list of packages.
FILES = (
    *("config/version.py", "CHANGELOG.md", "docs/upgrading.md", "deploy/release.py"),
    *("docs/deployment.md", "deploy/kubernetes/web.yaml"),
)
IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@x",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@x",
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 (2026-11-26)\n"
    )
    promise = tmp_path / "tests/checks/api_promise.py"
    promise.parent.mkdir(parents=True)
    promise.write_text("from pathlib import Path\nPath('docs/v1.json').write_text('kept')\n")
    (tmp_path / "docs/v1.json").write_text("old")
    (tmp_path / "Makefile").write_text("sbom:\n\t@echo listed > docs/sbom.json\n")
    (tmp_path / ".gitignore").write_text("__pycache__/\n")
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "before")):
        run_git(tmp_path, *words)
    return tmp_path


def run_git(clone: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=clone, env=os.environ | IDENTITY, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def release(clone: Path, version: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "deploy/release.py", version]
    return subprocess.run(
        command, cwd=clone, env=os.environ | IDENTITY, capture_output=True, text=True, check=False
    )


def test_a_release_has_a_heading_a_version_a_tag_and_a_line_with_its_commit(clone: Path) -> None:
    done = release(clone, "9.8.7")
    assert done.returncode == 0, done.stderr
    commit = run_git(clone, "rev-parse", "v9.8.7^{commit}")
    released = run_git(clone, "show", "v9.8.7:CHANGELOG.md")
    assert released.startswith("# Changelog\n\n## Unreleased\n\n## 9.8.7 (")
    assert '__version__ = "9.8.7"' in run_git(clone, "show", "v9.8.7:config/version.py")
    assert run_git(clone, "show", "v9.8.7:docs/v1.json") == "kept"
    assert run_git(clone, "show", "v9.8.7:docs/sbom.json") == "listed"
    for name, named in (("docs/deployment.md", "checkout v"), ("deploy/kubernetes/web.yaml", "savor:")):
        assert f"{named}9.8.7" in run_git(clone, "show", f"v9.8.7:{name}")
    assert f"| `{commit}` |" in (clone / "docs/upgrading.md").read_text()
    assert run_git(clone, "status", "--porcelain") == ""
    assert run_git(clone, "rev-parse", "HEAD~1") == commit


@pytest.mark.parametrize(
    ("version", "sentence"),
    [("", "name it"), ("2", "name it"), ("0.0.9", "doesn't follow"), ("0.1.0", "doesn't follow")],
)
def test_what_is_no_next_version_is_refused(clone: Path, version: str, sentence: str) -> None:
    done = release(clone, version)
    assert (done.returncode, sentence in done.stderr) == (1, True)
    assert run_git(clone, "status", "--porcelain") == ""


def test_nothing_new_and_half_done_work_are_refused(clone: Path) -> None:
    (clone / "config/version.py").write_text('__version__ = "0.1.0"\n# half done\n')
    assert "aren't committed" in release(clone, "9.8.7").stderr
    (clone / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-26)\n")
    run_git(clone, "commit", "--quiet", "--all", "--message", "nothing new")
    assert "nothing under Unreleased" in release(clone, "9.8.7").stderr
