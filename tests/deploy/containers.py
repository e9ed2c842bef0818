"""Reads Containerfile and compose.yaml, and runs what they say in a directory instead of in containers."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.sites import ROOT

#: Where the image's virtual environment is; here it is one of a lock alone.
VENV = "/opt/venv/bin"


@dataclass(frozen=True)
class Image:
    """What the last stage of the Containerfile sets, and the commands of its first one."""

    environment: dict[str, str]
    directory: str
    user: str
    entrypoint: list[str]
    command: list[str]
    health_command: list[str]
    build_commands: list[str]
    instructions: list[tuple[str, str]]


def read_instructions() -> list[list[tuple[str, str]]]:
    """The stages of the Containerfile: each a list of (instruction, its words)."""
    lines = [line for line in (ROOT / "Containerfile").read_text().splitlines() if not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    stages: list[list[tuple[str, str]]] = []
    for line in filter(None, map(str.strip, whole.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, " ".join(rest.split())))
    return stages


def read_image() -> Image:
    build, last = read_instructions()
    named = dict(last)
    environment = dict(
        pair.split("=", 1) for word, rest in last if word == "ENV" for pair in shlex.split(rest)
    )
    return Image(
        environment=environment,
        directory=named["WORKDIR"],
        user=named["USER"],
        entrypoint=_read_list(named["ENTRYPOINT"]),
        command=_read_list(named["CMD"]),
        health_command=_read_list(named["HEALTHCHECK"].partition("CMD ")[2]),
        build_commands=[rest for word, rest in build if word == "RUN"],
        instructions=last,
    )


def _read_list(text: str) -> list[str]:
    words: list[str] = yaml.safe_load(text)
    return words


def read_compose() -> dict[str, Any]:
    """compose.yaml, with what its services have in common in each of them."""
    composed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return composed


def copy_context(place: Path) -> None:
    """Copy what `COPY . .` copies: the exceptions in .dockerignore, without its last patterns."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    left_out = shutil.ignore_patterns(*(line.removeprefix("**/") for line in lines if line.startswith("**/")))
    for name in (line[1:] for line in lines if line.startswith("!")):
        source, target = ROOT / name, place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=left_out)
        else:
            shutil.copy(source, target)


@dataclass(frozen=True)
class Host:
    """A directory in the place of containers: what they call by a path or a name is elsewhere here."""

    root: Path
    image: Image
    elsewhere: Mapping[str, str]
    #: The folder of Python and of what its packages install.
    programs: Path

    def translate(self, text: str) -> str:
        for there, here in self.elsewhere.items():
            text = text.replace(there, here)
        return text

    def start(
        self, words: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> "subprocess.Popen[bytes]":
        """Start a command of the image as its user, in its directory, with these variables and no others."""
        variables = {name: self.translate(value) for name, value in environment.items()}
        variables["PATH"] = f"{self.programs}:/usr/bin:/bin"
        # A container has the image's files, and writes only below its volumes and /tmp.
        variables["TMPDIR"] = str(self.root / "tmp")
        with log.open("ab") as output:
            return subprocess.Popen(
                [*self._as_user(), *map(self.translate, words)],
                cwd=self.translate(self.image.directory),
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def run(self, words: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
        return self.start(words, environment, log).wait(300)

    def _as_user(self) -> list[str]:
        """Become the image's user; it may read everything, as the tests' Python may be in root's home."""
        if os.getuid() != 0:
            return []
        user, group = self.image.user.split(":")
        reading = ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]
        return ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", *reading]
