"""The locks hold what the requirements pin, nothing without a hash, and are what the Makefile installs."""

import re
from functools import cache

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.checks.sources import ROOT

LOCKS = {"requirements.txt": "requirements.lock", "requirements-dev.txt": "requirements-dev.lock"}
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


def test_tests_run_on_what_is_deployed() -> None:
    assert read_lock("requirements.lock").keys() <= read_lock("requirements-dev.lock").keys()


def test_the_makefile_installs_what_is_locked() -> None:
    rules = re.findall(r"bootstrap\.py (\S+) \$@", (ROOT / "Makefile").read_text())
    assert rules == list(LOCKS.values())
    assert '"--require-hashes"' in (ROOT / "config" / "bootstrap.py").read_text()
