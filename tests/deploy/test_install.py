"""deploy/install: what it would do, what it refuses, and a whole installation in a bare Debian."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.test_deployment_page import find_block
from tests.sites import ROOT

ANSWERS = {
    "NAME": "Osaka eats",
    "HOST": "savor.example",
    "PHONE": "+819012345678",
    "CITY": "Osaka 34.69 135.50",
    "CURRENCY": "JPY",
    "EMAIL": "operator@savor.example",
}
PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: What pip needs to reach its index, if anything: its configuration, and the certificates that it trusts.
PIP_FILES = (Path("/etc/pip.conf"), Path.home() / ".config/pip/pip.conf")
CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")


def install(*words: str, **answers: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | ANSWERS | answers
    command = [str(ROOT / "deploy/install"), *words]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_a_dry_run_says_each_step_of_the_page_and_no_secret() -> None:
    done = install("--dry-run")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^\d+\. ", done.stdout, re.MULTILINE)) == 10
    said = {word for line in done.stdout.splitlines() for word in line.split()}
    for block in ("2. A user and directories", "6. Units:", "7. The first certificate"):
        for line in find_block(block).splitlines():
            command, _, _comment = line.partition("  #")
            missing = {word for word in command.split() if word.startswith("/") and word not in said}
            assert not missing, f"{line}: {missing}"
    for unit in re.findall(r"savor[@-]\S+", find_block("6. Units:")):
        assert unit in said
    assert "password=" not in done.stdout.lower().replace("manager_password=***", "")


@pytest.mark.parametrize(
    "answers",
    [
        {"HOST": "https://savor.example"},
        {"HOST": "Savor.example"},
        {"NAME": "it's"},
        {"CITY": "Osaka"},
        {"CITY": "34.69 135.50"},
        {"CITY": "Osaka north east"},
        {"CURRENCY": "yen"},
        {"EMAIL": "operator"},
        {"EMAIL": "a@b.c; rm -rf /"},
    ],
)
def test_a_wrong_answer_is_a_sentence_that_names_it(answers: dict[str, str]) -> None:
    done = install("--dry-run", **answers)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"install: {next(iter(answers))}:" in done.stderr


def test_without_an_answer_and_a_person_it_ends_with_the_question() -> None:
    done = install("--dry-run", PHONE="")
    assert (done.returncode, "PHONE is missing" in done.stderr) == (1, True)


@pytest.fixture
def bare_debian(tmp_path: Path) -> Iterator[Path]:
    """debootstrap's smallest Debian, with a clone of this repository and a stand-in for systemctl."""
    root = tmp_path / "debian"
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates,git", "bookworm", str(root)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for name in ("etc/resolv.conf", str(CERTIFICATES)):
        shutil.copy(Path("/") / name, root / name)
    mounts = [root / "proc", root / "dev"]
    subprocess.run(["mount", "-t", "proc", "proc", mounts[0]], check=True)
    subprocess.run(["mount", "--rbind", "--make-rslave", "/dev", mounts[1]], check=True)
    for file in PIP_FILES:
        if file.exists():
            copied = root / str(file).lstrip("/")
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copied)
            for folder in re.findall(r"file://(/[^/\s]+/[^/\s]+)", file.read_text()):
                (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
                subprocess.run(["mount", "--bind", folder, root / folder.lstrip("/")], check=True)
                mounts.append(root / folder.lstrip("/"))
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    shutil.copy(ROOT / "tests/deploy/bare/systemctl", root / "usr/local/bin/systemctl")
    clone = [
        "git",
        "-c",
        f"safe.directory={ROOT}",
        "clone",
        "--quiet",
        "--no-hardlinks",
        str(ROOT),
        str(root / "root/savor"),
    ]
    subprocess.run(clone, check=True)
    yield root
    end_all(root)
    for place in reversed(mounts):
        subprocess.run(["umount", "--recursive", place], check=True)


def end_all(root: Path) -> None:
    """End every process that runs in this Debian."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            inside = os.readlink(process / "root") == str(root)
        except OSError:
            continue
        if inside:
            os.kill(int(process.name), 9)


def run_in(root: Path, command: str) -> str:
    variables = {"HOME": "/root", "PATH": PATH, "CERTIFICATE": "self-signed", "PIP_CERT": f"/{CERTIFICATES}"}
    done = subprocess.run(
        ["chroot", root, "sh", "-c", command],
        env=variables | ANSWERS,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


@pytest.mark.long
@pytest.mark.root
@pytest.mark.program("debootstrap", "apt-get install debootstrap")
@pytest.mark.timeout(3600)
def test_a_bare_debian_becomes_a_site_and_again_changes_nothing(bare_debian: Path) -> None:
    first = run_in(bare_debian, "cd /root/savor && deploy/install")
    assert "The site answers: https://savor.example/" in first
    settings = (bare_debian / "etc/savor/environment").read_text()
    again = run_in(bare_debian, "cd /root/savor && deploy/install")
    assert (bare_debian / "etc/savor/environment").read_text() == settings
    assert "they were made before" in again
    page = run_in(
        bare_debian,
        "curl -sS --insecure --resolve savor.example:443:127.0.0.1 https://savor.example/api/cities",
    )
    assert "Osaka" in page
