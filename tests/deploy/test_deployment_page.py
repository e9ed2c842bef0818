"""What docs/deployment.md says to type works: the settings, the user of Redis, the first certificate."""

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

from apps.demo import embedded_redis
from config import environment_file
from tests.checks.test_settings import STRONG, load
from tests.sites import ROOT

PAGE = (ROOT / "docs" / "deployment.md").read_text()
#: systemd's own reader of such files, as a program.
SYSTEMD = Path("/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator")
#: Values that both read as they stand, for the name A.
ALIKE = {
    "A=plain-0_./:@%,+=?value": "plain-0_./:@%,+=?value",
    "A=": "",
    "A='two words'": "two words",
    """A='{"Authorization": "APPCODE x#y; z & (u) | `v` ~ * [w] !"}'""": (
        '{"Authorization": "APPCODE x#y; z & (u) | `v` ~ * [w] !"}'
    ),
    "A='杭州'": "杭州",
    "# A=other\nA=1": "1",
    "A=1\n\n  # said": "1",
}
#: Lines that one of them reads otherwise, or not at all.
REFUSED = [
    *("A=two words", 'A="double"', "A=$HOME", "A='$B'x", "A=`id`", "A=a\\ b", "A=~/x", "A='it''s'", "A=x;y"),
    *(
        "A=x#y",
        "A=x # said",
        " A=1",
        "A =1",
        "A= 1",
        "A=1 ",
        "A=1\r",
        "export A=1",
        ";A=1",
        "A",
        "1A=1",
        "A-B=1",
    ),
    *("A='a\nb'", "A='a\\", "# said \\\nA=1", "A=x&y", "A=(x)", "A='tab\there'", "A='\x00'", "A=杭州"),
]


def find_block(after: str) -> str:
    """The next block of code behind these words of the page, without its indent."""
    block = re.search(r"```\n(.*?)```", PAGE[PAGE.index(after) :], re.DOTALL)
    assert block
    return re.sub(r"^   ", "", block[1], flags=re.MULTILINE)


def read_by_shell(file: Path) -> dict[str, str]:
    done = subprocess.run(
        ["sh", "-c", 'set -a; . "$1"; env -0', "sh", file], env={}, capture_output=True, check=True
    )
    return dict(pair.split("=", 1) for pair in done.stdout.decode().split("\0") if pair)


def read_by_systemd(file: Path) -> dict[str, str]:
    folder = file.parent / "environment.d"
    folder.mkdir(exist_ok=True)
    (folder / "50.conf").write_bytes(file.read_bytes())
    environment = {"XDG_CONFIG_HOME": str(file.parent), "HOME": str(file.parent)}
    done = subprocess.run([SYSTEMD], env=environment, capture_output=True, check=True)
    # It prints them for a shell, without empty ones.
    read = file.with_name("read")
    read.write_bytes(done.stdout)
    return read_by_shell(read)


@pytest.mark.systemd
@pytest.mark.parametrize(("text", "value"), ALIKE.items())
def test_a_line_that_passes_is_read_alike(text: str, value: str, tmp_path: Path) -> None:
    file = tmp_path / "environment"
    file.write_text(f"{text}\n")
    assert not list(environment_file.find_faults(file.read_text()))
    assert read_by_shell(file)["A"] == read_by_systemd(file).get("A", "") == value


@pytest.mark.parametrize("text", REFUSED)
def test_a_line_that_is_read_otherwise_is_refused(text: str) -> None:
    (fault, *_more) = environment_file.find_faults(f"FINE=1\n{text}\n")
    assert fault.startswith("line 2 is not read alike")
    assert text not in fault or len(text) < 3


@pytest.mark.systemd
def test_the_file_of_the_page_starts_a_site(tmp_path: Path) -> None:
    file = tmp_path / "environment"
    file.write_text(find_block("3. Settings in"))
    assert not list(environment_file.find_faults(file.read_text()))
    values = read_by_shell(file)
    known = {name: value for name, value in read_by_systemd(file).items() if name in values}
    assert known == {name: value for name, value in values.items() if name in known}
    assert len(known) > 10
    given = {name: known[name] for name in known if name not in ("SECRET_KEY", "VAR_DIR")}
    assert load(SECRET_KEY=STRONG, **given).PRODUCTION


@pytest.mark.locks
def test_djangos_checklist_for_a_deployment_is_clean(tmp_path: Path) -> None:
    given = read_by_shell(_write(tmp_path / "environment", find_block("3. Settings in")))
    given |= {
        "SECRET_KEY": STRONG,
        "VAR_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings"} | given
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _write(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "config.environment_file"]
    for file in (tmp_path / "none", tmp_path):
        done = subprocess.run([*command, file], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "can't be read" in done.stderr


@pytest.mark.root
def test_a_command_runs_as_the_sites_user_with_its_settings(tmp_path: Path) -> None:
    settings = tmp_path / "environment"
    # The user of the test may pass to the file.
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    settings.write_text("A='two words'\nDJANGO_SETTINGS_MODULE=config.settings\n")
    nobody = pwd.getpwnam("nobody")
    environment = os.environ | {"SAVOR_USER": "nobody", "SAVOR_SETTINGS": str(settings), "PGOPTIONS": "-c x"}
    words = ["sh", "-c", 'id -u; echo "$A|$PGOPTIONS|$1"; echo "$PATH"', "sh", "one word"]
    command = [str(ROOT / "deploy" / "as-savor"), *words]
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=True)
    user, values, path = done.stdout.splitlines()
    assert (int(user), values) == (nobody.pw_uid, "two words|-c x|one word")
    assert path.startswith(f"{ROOT}/.venv/bin:")
    settings.write_text("A=two words\n")
    refused = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "line 1 is not read alike" in refused.stderr


def test_root_runs_no_command_of_the_site() -> None:
    """It would make files in VAR_DIR, the database among them, that the site can't write."""
    typed = re.findall(
        r"^.*manage\.py (?:migrate|collectstatic|setup_city|rebuild_redis|reconcile).*$", PAGE, re.M
    )
    assert len(typed) >= 5
    assert not [line for line in typed if not re.search(r"(as-savor|savor-web --) python manage\.py", line)]


def test_the_first_certificate_comes_before_nginx_names_it() -> None:
    lines = find_block("7. The first certificate").splitlines()
    steps = ["stop nginx", "--standalone", "/etc/nginx/nginx.conf", "start nginx", "--webroot"]
    places = [next(number for number, line in enumerate(lines) if step in line) for step in steps]
    assert places == sorted(places)
    root = re.search(r"-w (\S+)", lines[places[-1]])
    assert root
    assert f"root {root[1]};" in (ROOT / "deploy" / "nginx.conf").read_text()


def test_the_page_knows_that_sentinels_take_passwords() -> None:
    assert "carry no password" not in PAGE


def test_the_user_of_redis_is_one_that_redis_takes(tmp_path: Path) -> None:
    line = find_block("a user that may do what the site")
    (tmp_path / "redis.conf").write_text(f"port 0\ndir {tmp_path}\nunixsocket {tmp_path}/redis.sock\n{line}")
    command = [embedded_redis.find_binary(), tmp_path / "redis.conf"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        assert any(
            "Ready to accept connections" in out or "ready to accept connections" in out
            for out in server.stdout
        )
        server.terminate()
