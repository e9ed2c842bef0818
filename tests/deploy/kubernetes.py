"""Reads deploy/kubernetes/."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.sites import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"


def list_files() -> list[Path]:
    return sorted(FOLDER.glob("*.yaml"))


def read_objects(kind: str) -> dict[str, dict[str, Any]]:
    """The objects of this kind by their names."""
    every = [one for path in list_files() for one in yaml.safe_load_all(path.read_text())]
    return {one["metadata"]["name"]: one for one in every if one["kind"] == kind}


def read_containers() -> dict[str, dict[str, Any]]:
    """The one container of each Deployment, by the process that it runs."""
    found = {}
    for name, deployment in read_objects("Deployment").items():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        found[name.removeprefix("savor-")] = container
    return found


def read_exec_probes(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The commands by which Kubernetes looks after these processes."""
    containers = read_containers()
    for name in names:
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if "exec" in containers[name].get(probe, {}):
                yield name, containers[name][probe]["exec"]["command"]
