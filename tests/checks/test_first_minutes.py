"""What somebody reads who types a first command, and has not what it needs."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from config import bootstrap
from tests.checks.sources import ROOT

NEWCOMERS_TARGETS = ["demo", "test", "load", "format", "check"]


def write_program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def shims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing but pyenv's shims of versions that aren't chosen."""
    for minor in (11, 12, 13, 14):
        write_program(
            tmp_path / f"python3.{minor}", f"echo 'pyenv: python3.{minor}: command not found' >&2; exit 127"
        )
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_shim_of_pyenv_is_no_python(shims: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert not bootstrap.is_new_enough(str(shims / "python3.13"))
    assert bootstrap.is_new_enough(sys.executable)
    assert capfd.readouterr() == ("", "")


def test_an_old_python_among_shims_says_what_to_install(shims: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST", (99,))
    with pytest.raises(SystemExit, match=r"^Savor needs Python 3.11 or newer, and this is 3\."):
        bootstrap.use_new_python()


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A distribution's Python that can make .venv, beside one of pyenv; the commands that it is run with."""
    runs: list[str] = []
    monkeypatch.setattr(bootstrap, "PACKAGED", str(write_program(tmp_path / "packaged", "exit 0")))
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _name: "'--enable-shared'")
    monkeypatch.setattr(sys, "base_prefix", "/home/me/.pyenv/versions/3.11.7")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr(os, "execv", lambda program, _arguments: runs.append(program))
    monkeypatch.delenv("PYTHON", raising=False)
    return runs


def test_a_python_built_with_profiles_is_preferred(
    packaged: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    bootstrap.use_profiled_python()
    assert packaged == [bootstrap.PACKAGED]
    assert "built without profiles (PGO)" in capfd.readouterr().out


def test_a_python_that_is_named_or_as_fast_stays(
    packaged: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as given:
        given.setenv("PYTHON", "/opt/python/bin/python3")
        bootstrap.use_profiled_python()
    with monkeypatch.context() as given:
        given.setattr(sys, "prefix", str(tmp_path))
        bootstrap.use_profiled_python()
    with monkeypatch.context() as given:
        given.setattr(sysconfig, "get_config_var", lambda _name: "'--enable-optimizations'")
        bootstrap.use_profiled_python()
    # The distribution's is older, or has no venv module.
    write_program(Path(bootstrap.PACKAGED), "exit 1")
    bootstrap.use_profiled_python()
    assert packaged == []


def test_a_full_disk_is_called_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what pip says, or by what is left: the venv module names another cause."""
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    assert bootstrap.describe_full_disk(said).startswith("The disk is full: ")
    assert bootstrap.describe_full_disk("ensurepip is not available") == ""
    monkeypatch.setattr(bootstrap, "ENOUGH_MB", 2**40)
    assert bootstrap.describe_full_disk("ensurepip is not available").startswith("The disk is full: ")


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env=clean | environment, capture_output=True, text=True, check=False
    )


def test_make_alone_lists_a_newcomers_verbs_first() -> None:
    begin, _heading, rest = make().stdout.partition("Then there are:\n")
    listed = [line.split()[1] for line in begin.splitlines()[1:]]
    assert listed == NEWCOMERS_TARGETS
    others = [line.split()[1] for line in rest.splitlines()]
    assert "lint" in others
    assert not set(listed) & set(others)


@pytest.mark.parametrize("script", ["echo 'pyenv: no such version' >&2; exit 127", "exit 1"])
def test_make_says_it_when_python_does_not_run(tmp_path: Path, script: str) -> None:
    python = write_program(tmp_path / "python3", script)
    # A lock that is newer than any installation.
    done = make("-W", "requirements-demo.lock", ".venv/demo", f"PYTHON={python}")
    assert done.returncode
    assert done.stdout.strip() == (
        "Savor needs Python 3.11 or newer: install python3, or name yours with 'make PYTHON=/path/to/python'."
    )
    assert "pyenv" not in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["-S", "-E", "manage.py", "migrate"],
            "run 'make demo' once, then type '.venv/bin/python manage.py'",
        ),
        (["manage.py", "migrate"], "type DEMO=1 before a command"),
        (["manage.py", "shell"], "type DEMO=1 before a command"),
    ],
)
def test_manage_py_without_packages_or_settings_says_what_to_type(options: list[str], sentence: str) -> None:
    done = subprocess.run(
        [sys.executable, *options],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
