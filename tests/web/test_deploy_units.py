"""The systemd units run the very lines of the Procfile, and systemd understands them."""

import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
from honcho.environ import parse_procfile

from tests.sites import ROOT

DEPLOY = ROOT / "deploy"
#: What the units of web and of the other processes say each in their own way.
OWN = {"type", "notifyaccess", "timeoutstartsec", "timeoutstopsec", "sockets", "execstart", "cpuweight"}


def read_processes() -> dict[str, str]:
    """The processes of the Procfile by name, each with its line."""
    processes: dict[str, str] = parse_procfile((ROOT / "Procfile").read_text()).processes
    assert processes
    return processes


def read_unit(name: str) -> ConfigParser:
    # systemd's own %i and $$ are not configparser's.
    parser = ConfigParser(interpolation=None)
    parser.read(DEPLOY / name)
    return parser


def unit_of(process: str) -> str:
    return "savor-web@.service" if process == "web" else "savor@.service"


def test_each_process_is_its_line_of_the_procfile() -> None:
    processes = read_processes()
    assert {name: print_line(name) for name in processes} == processes


def print_line(name: str) -> str:
    """The line that the unit of a process would run."""
    command = read_unit(unit_of(name))["Service"]["ExecStart"].replace("%i", name).replace("$$", "$")
    printed = command.replace("eval ", "printf %s ")
    return subprocess.run(printed, shell=True, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_head_of_a_unit_names_its_processes() -> None:
    for name in read_processes():
        head = (DEPLOY / unit_of(name)).read_text().partition("[Unit]")[0]
        assert ("savor-web@1" if name == "web" else f"savor@{name}") in head


def test_both_units_close_the_same_doors() -> None:
    web, others = (dict(read_unit(name)["Service"]) for name in ("savor-web@.service", "savor@.service"))
    assert {key: web[key] for key in web if key not in OWN} == {
        key: others[key] for key in others if key not in OWN
    }


def test_buyers_come_before_the_recording_of_orders() -> None:
    """Weights count within a slice, and an instance of a template has one of its own without one."""
    web, others = (read_unit(name)["Service"] for name in ("savor-web@.service", "savor@.service"))
    assert web["Slice"] == others["Slice"] == "system.slice"
    assert int(others["CPUWeight"]) < int(web.get("CPUWeight", "100"))


@pytest.mark.parametrize("name", ["savor-web@.service", "savor@.service"])
def test_systemd_never_gives_up(name: str) -> None:
    unit = read_unit(name)
    assert (unit["Unit"]["StartLimitIntervalSec"], unit["Service"]["Restart"]) == ("0", "always")


@pytest.mark.systemd
def test_systemd_understands_every_unit(tmp_path: Path) -> None:
    units = [path for path in DEPLOY.iterdir() if path.suffix in {".service", ".socket", ".timer"}]
    assert len(units) == 5
    for path in units:
        shutil.copy(path, tmp_path / path.name.replace("@.", "@1."))
    command = ["systemd-analyze", "verify", *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
