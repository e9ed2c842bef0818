"""deploy/kubernetes/: valid for Kubernetes, a Deployment for each process, and no secret in it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from honcho.environ import parse_procfile

from tests.checks.test_settings import STRONG, load
from tests.deploy import kubernetes
from tests.sites import ROOT


@pytest.mark.parametrize("version", ["1.31", "1.34", "1.37"])
def test_every_file_is_valid(version: str) -> None:
    command = [
        str(Path(sys.executable).parent / "kubernetes-validate"),
        "--strict",
        "--no-warn",
        "-k",
        version,
    ]
    done = subprocess.run(
        [*command, *map(str, kubernetes.list_files())], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("passed") == 8


def test_every_process_has_a_deployment() -> None:
    processes = parse_procfile((ROOT / "Procfile").read_text()).processes
    containers = kubernetes.read_containers()
    assert {name: container["args"] for name, container in containers.items()} == {
        name: [name] for name in processes
    }
    deployments = kubernetes.read_objects("Deployment")
    assert deployments["savor-beat"]["spec"]["replicas"] == 1
    assert deployments["savor-beat"]["spec"]["strategy"]["type"] == "Recreate"


def test_every_pod_is_closed() -> None:
    kinds = {**kubernetes.read_objects("Deployment"), **kubernetes.read_objects("Job")}
    assert len(kinds) == 6
    for name, one in kinds.items():
        pod = one["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"], name
        assert pod["securityContext"]["runAsUser"] == 10001, name
        assert pod["automountServiceAccountToken"] is False, name
        assert container["securityContext"]["readOnlyRootFilesystem"], name
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys(), name
        assert "memory" in container["resources"]["limits"], name
        assert one["kind"] == "Job" or "readinessProbe" in container, name
        assert int(pod.get("terminationGracePeriodSeconds", 30)) >= (330 if name == "savor-worker" else 30)


def test_no_secret_is_in_a_file() -> None:
    assert not kubernetes.read_objects("Secret")
    text = "\n".join(path.read_text() for path in kubernetes.list_files())
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert not re.search(r"(?i)secret_key|password|(?<!serviceaccount)token:|://[^/\s]*@", "\n".join(lines))


def test_production_starts_with_these_settings() -> None:
    given = kubernetes.read_objects("ConfigMap")["savor"]["data"]
    assert load(SECRET_KEY=STRONG, **given).PRODUCTION
    web = kubernetes.read_containers()["web"]
    (host,) = web["readinessProbe"]["httpGet"]["httpHeaders"]
    assert host["value"] in given["ALLOWED_HOSTS"].split(",")
