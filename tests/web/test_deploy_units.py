"""The systemd unit runs the very lines of the Procfile."""

import subprocess
from configparser import ConfigParser

import pytest
from honcho.environ import parse_procfile

from tests.sites import ROOT

PROCESSES = parse_procfile((ROOT / "Procfile").read_text()).processes


@pytest.fixture
def unit() -> ConfigParser:
    # systemd's own %i and $$ are not configparser's.
    parser = ConfigParser(interpolation=None)
    parser.read(ROOT / "deploy" / "savor@.service")
    return parser


@pytest.mark.parametrize("name", PROCESSES)
def test_each_process_is_its_line_of_the_procfile(unit: ConfigParser, name: str) -> None:
    command = unit["Service"]["ExecStart"].replace("%i", name).replace("$$", "$")
    printed = command.replace("eval ", "printf %s ")
    done = subprocess.run(printed, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == PROCESSES[name]


def test_the_unit_names_every_process() -> None:
    text = (ROOT / "deploy" / "savor@.service").read_text()
    assert all(f"savor@{name}" in text for name in PROCESSES)
