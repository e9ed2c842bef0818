"""The locks hold what the requirements pin, nothing without a hash, and are what the Makefile installs."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.checks import sources
from tests.checks.sources import ROOT

#: From the smallest to the largest.
LOCKS = {
    "requirements.txt": "requirements.lock",
    "requirements-demo.txt": "requirements-demo.lock",
    "requirements-providers.txt": "requirements-providers.lock",
    "requirements-lab.txt": "requirements-lab.lock",
    "requirements-dev.txt": "requirements-dev.lock",
    # Beside the last: what sends traces is installed by no test but the one of its lock.
    "requirements-traces.txt": "requirements-traces.lock",
}
OUR_FOLDERS = ("apps", "config", "tests", "lab")
_ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[\w,-]+\])?==(?P<version>[^\s;]+)[^\\\n]*(?P<rest>(?:\\\n +--hash=\S+ ?)*)", re.M
)


@cache
def read_lock(name: str) -> dict[tuple[str, str], list[str]]:
    """(package, version) -> its hashes; a package may have a version for each range of Pythons."""
    text = (ROOT / name).read_text()
    return {
        (canonicalize_name(entry["name"]), entry["version"]): re.findall(r"--hash=(\S+)", entry["rest"])
        for entry in _ENTRY.finditer(text)
    }


def read_pins(name: str) -> set[tuple[str, str]]:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    found = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {(canonicalize_name(one.name), str(one.specifier).removeprefix("==")) for one in found}


def test_a_lock_has_every_pin_in_its_version() -> None:
    missing = {lock: read_pins(pins) - read_lock(lock).keys() for pins, lock in LOCKS.items()}
    assert not any(missing.values()), f"run `make lock`: {missing}"


def test_every_package_of_a_lock_has_its_hashes() -> None:
    for lock in LOCKS.values():
        entries = read_lock(lock)
        lines = [line for line in (ROOT / lock).read_text().splitlines() if line and line[0] not in " #"]
        assert len(entries) == len(lines), f"a line of {lock} that is no pinned package"
        assert not [entry for entry, hashes in entries.items() if not hashes], lock
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for hashes in entries.values() for one in hashes)


def test_each_lock_holds_the_smaller_one() -> None:
    """Tests run on what is deployed; and who has the larger installation needs no other."""
    site, demo, providers, lab, dev, traces = LOCKS.values()
    pairs = [(site, demo), (site, providers), (demo, lab), (providers, dev), (lab, dev), (providers, traces)]
    for smaller, larger in pairs:
        assert read_lock(smaller).keys() <= read_lock(larger).keys(), (smaller, larger)


def test_the_makefile_installs_what_is_locked() -> None:
    rules = re.findall(r"bootstrap\.py (\S+) (.*)", (ROOT / "Makefile").read_text())
    assert rules == [
        ("requirements-demo.lock", "$@"),
        ("requirements-lab.lock", ".venv/demo $@"),
        ("requirements-dev.lock", ".venv/demo .venv/lab $@"),
    ]
    # These three are for the machines that serve real people (docs/deployment.md).
    served = ["requirements.lock", "requirements-providers.lock", "requirements-traces.lock"]
    installed = [*served, *(lock for lock, _ in rules)]
    assert sorted(installed) == sorted(LOCKS.values())
    assert '"--require-hashes"' in (ROOT / "config" / "bootstrap.py").read_text()


def test_the_light_targets_import_what_their_lock_installs() -> None:
    """Who types `make load` waits for no browser, no type checker and no other web framework."""
    targets = re.findall(r"^[\w-]+: \.venv/lab .*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
    modules = set(re.findall(r"-m (lab[\w.]*)", "".join(targets)))
    assert "lab.load" in modules
    installed = {name for name, _ in read_lock("requirements-lab.lock")}
    missing = {
        name for name in find_imports(modules) if not installed.intersection(find_packages().get(name, []))
    }
    assert not missing


def test_what_serves_real_people_imports_what_its_lock_installs() -> None:
    """The demo's launcher and its Redis are of no use there, and their packages are not installed."""
    started = {"config.asgi", "config.celery", "config.preflight", "config.settings", "config.urls"}
    started |= {f"apps.{path.parent.name}.apps" for path in ROOT.glob("apps/*/apps.py")}
    # Installed with SENTRY_DSN and OTEL_EXPORTER_OTLP_ENDPOINT alone, which need locks of their own.
    started -= {"apps.error_reports.apps", "apps.tracing.apps"}
    installed = {name for name, _ in read_lock("requirements.lock")}
    missing = {
        name for name in find_imports(started) if not installed.intersection(find_packages().get(name, []))
    }
    assert not missing


def find_imports(started: set[str]) -> set[str]:
    """The names of other people's packages that started modules of ours import, directly or by others."""
    seen, found, rest = set[str](), set[str](), [*started, *(f"{name}.__main__" for name in started)]
    while rest:
        name = rest.pop()
        if name in seen:
            continue
        seen.add(name)
        if name.partition(".")[0] in OUR_FOLDERS:
            rest += [one for path in find_files(name) for one in read_names(path)]
        else:
            found.add(name.partition(".")[0])
    return found - sys.stdlib_module_names


def find_files(module: str) -> list[Path]:
    """The file of a module of ours, and those of the packages around it."""
    place = ROOT / module.replace(".", "/")
    packages = [place, *place.parents][: module.count(".") + 1]
    return [
        path
        for path in (place.with_suffix(".py"), *(one / "__init__.py" for one in packages))
        if path.is_file()
    ]


@cache
def read_names(path: Path) -> set[str]:
    """The modules that a file imports, and those of the lab that it names in a text, to start them."""
    names = set[str]()
    for node in ast.walk(sources.parse(path).tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            started = re.findall(r"^lab(?:\.\w+)+$", node.value)
            names |= {name for module in started for name in (module, f"{module}.__main__")}
    return names


@cache
def find_packages() -> dict[str, list[str]]:
    """The installed packages by the modules that they bring."""
    return {name: [canonicalize_name(one) for one in many] for name, many in packages_distributions().items()}
