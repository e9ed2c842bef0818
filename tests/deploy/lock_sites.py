"""A virtual environment of one lock alone, and the commands by which the site's files start its processes."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honcho.environ import parse_procfile

from tests.deploy import kubernetes
from tests.deploy.containers import read_image, read_instructions
from tests.sites import ROOT

#: Those of people who change the site; all others are of machines that run it.
DEVELOPERS = {"requirements-dev.lock", "requirements-lab.lock"}
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock") if path.name not in DEVELOPERS)
UV = Path(sys.executable).parent / "uv"


def make_venv(lock: str, place: Path) -> Path:
    """The folder of programs of a new virtual environment that has what this lock names, and no more.

    As the image gets them: wheels, but for what the Containerfile names as having none.
    """
    subprocess.run(
        [UV, "venv", "--quiet", "--no-project", "--python", sys.executable, place / "venv"], check=True
    )
    sources, wheels = place / "sources.txt", place / "wheels.txt"
    named = _list_sources()
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text())
    for file, is_source in ((wheels, False), (sources, True)):
        file.write_text(
            "\n".join(one for one in entries if (re.split("[=\\[]", one)[0] in named) == is_source)
        )
    _install(["sync", "--only-binary", ":all:", str(wheels)], place)
    if sources.read_text():
        _install(["install", "--no-deps", "--requirement", str(sources)], place)
    return place / "venv/bin"


def _list_sources() -> set[str]:
    """The packages that the image's build makes of their sources."""
    build, _last = read_instructions()
    (words,) = [rest.split() for word, rest in build if word == "RUN" and "--require-hashes" in rest.split()]
    return {words[at + 1] for at, word in enumerate(words) if word == "--no-binary"}


def _install(words: list[str], place: Path) -> None:
    python = str(place / "venv/bin/python")
    command = [str(UV), "pip", *words, "--quiet", "--require-hashes", "--python", python]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"needs a network, or uv's cache: {done.stderr}"


@dataclass(frozen=True)
class Command:
    """A command of a file: its words, and the line that its shell runs in the end, alike in several files."""

    origin: str
    words: tuple[str, ...]
    line: str
    is_once: bool = False
    variables: tuple[tuple[str, str], ...] = ()


def list_commands() -> list[Command]:
    """What the Procfile, Kubernetes' files and systemd's units start: each line once, Jobs first."""
    lines = parse_procfile((ROOT / "Procfile").read_text()).processes
    processes = [Command(f"Procfile: {name}", ("sh", "-c", line), line) for name, line in lines.items()]
    found: dict[str, Command] = {}
    for command in (*_read_jobs(lines), *processes, *_read_deployments(lines), *_read_units()):
        found.setdefault(command.line, command)
    return list(found.values())


def read_line(words: list[str], lines: dict[str, str]) -> str:
    """What a container's words run: a process of the Procfile with further words, or themselves."""
    entrypoint = read_image().entrypoint
    if words[: len(entrypoint)] == entrypoint:
        name, *more = words[len(entrypoint) :]
        return " ".join([lines[name], *map(shlex.quote, more)])
    return shlex.join(words)


def _read_jobs(lines: dict[str, str]) -> Iterator[Command]:
    for name, job in kubernetes.read_objects("Job").items():
        for container in job["spec"]["template"]["spec"]["containers"]:
            yield _read_container(f"Kubernetes: {name}", container, lines, is_once=True)


def _read_deployments(lines: dict[str, str]) -> Iterator[Command]:
    for name, container in kubernetes.read_containers().items():
        yield _read_container(f"Kubernetes: {name}", container, lines, is_once=False)


def _read_container(
    origin: str, container: dict[str, Any], lines: dict[str, str], *, is_once: bool
) -> Command:
    words = [*container.get("command", read_image().entrypoint), *container.get("args", ())]
    variables = tuple((one["name"], str(one["value"])) for one in container.get("env", ()))
    return Command(origin, tuple(words), read_line(words, lines), is_once, variables)


def _read_units() -> Iterator[Command]:
    for path in sorted((ROOT / "deploy").glob("*.service")):
        # systemd's own %i and $$ are not configparser's.
        unit = ConfigParser(interpolation=None)
        unit.read(path)
        service = unit["Service"]
        for instance in _list_instances(path):
            words = shlex.split(service["ExecStart"].replace("%i", instance).replace("$$", "$"))
            line = _resolve(words)
            yield Command(f"{path.name} {instance}", tuple(words), line, service.get("Type") == "oneshot")


def _list_instances(path: Path) -> list[str]:
    """What the head of a template's file starts: consumer of savor@consumer; "" of a unit of its own."""
    if "@" not in path.stem:
        return [""]
    return sorted(set(re.findall(rf"\b{path.stem}(\w+)", path.read_text())))


def _resolve(words: list[str]) -> str:
    """The line of a unit: of one that evaluates a line of the Procfile, that line."""
    if words[:2] != ["/bin/sh", "-c"]:
        return shlex.join(words)
    printed = ["/bin/sh", "-c", words[2].replace("eval ", "printf %s ")]
    return subprocess.run(printed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
