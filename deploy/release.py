"""`make release VERSION=0.2.0`: dates the changelog, sets the version, lists packages, tags it.

Two commits: the release itself, with the API's promise and a tag, and one that names the release's commit in
docs/upgrading.md, since a tag doesn't travel with every clone. Nothing is pushed. `make release` runs
`make check` before.
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION_FILE, CHANGELOG, UPGRADING = "config/version.py", "CHANGELOG.md", "docs/upgrading.md"
#: What a release is made of: its packages with versions and hashes (CycloneDX), written by `make sbom`.
SBOM = "docs/sbom.json"
#: What names the newest release as an example: images of Kubernetes, and what is checked out.
EXAMPLES = ("deploy/kubernetes/*.yaml", "docs/deployment.md")
#: The table of releases in docs/upgrading.md, newest first, begins behind this line.
TABLE_HEAD = "| release | date | commit |\n|---|---|---|\n"
EMPTY_HEADING = "## Unreleased\n\n"


def main(version: str) -> int:
    """Make the release; 1 and a sentence when it can't be made, with nothing changed."""
    refusal = find_refusal(version)
    if refusal:
        print(f"make release: {refusal}", file=sys.stderr)
        return 1
    # The one step that needs a network comes before anything is changed.
    subprocess.run(["make", "sbom"], cwd=ROOT, check=True)
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    write_version(version, date)
    subprocess.run([sys.executable, "-m", "tests.checks.api_promise"], cwd=ROOT, check=True)
    git("add", SBOM)
    git("commit", "--quiet", "--all", "--message", f"Release {version}")
    git("tag", "--annotate", f"v{version}", "--message", f"Savor {version}")
    commit = git("rev-parse", "HEAD")
    replace_once(UPGRADING, TABLE_HEAD, f"{TABLE_HEAD}| {version} | {date} | `{commit}` |\n")
    git("commit", "--quiet", "--all", "--message", f"Name the commit of release {version}")
    print(f"Savor {version} is {commit}, tagged v{version}. To publish it: git push --follow-tags")
    return 0


def find_refusal(version: str) -> str:
    """Why this release can't be made, as a sentence; empty when it can."""
    before = read_version()
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return "name it, such as VERSION=0.2.0"
    if as_numbers(version) <= as_numbers(before):
        return f"{version} doesn't follow {before}"
    if git("status", "--porcelain", "--untracked-files=no"):
        return "there are changes that aren't committed"
    if EMPTY_HEADING + "## " in (ROOT / CHANGELOG).read_text():
        return f"{CHANGELOG} has nothing under Unreleased"
    if git("tag", "--list", f"v{version}"):
        return f"the tag v{version} is there already"
    return ""


def read_version() -> str:
    found = re.search(r'__version__ = "(.+)"', (ROOT / VERSION_FILE).read_text())
    assert found, f"{VERSION_FILE} has no version"
    return found[1]


def as_numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def write_version(version: str, date: str) -> None:
    """Set the version, also in examples, and give what was unreleased its heading."""
    path = ROOT / VERSION_FILE
    before = read_version()
    path.write_text(path.read_text().replace(f'"{before}"', f'"{version}"'))
    for example in (found for pattern in EXAMPLES for found in ROOT.glob(pattern)):
        named = re.sub(
            rf"(savor:|releases/|checkout v){re.escape(before)}\b", rf"\g<1>{version}", example.read_text()
        )
        example.write_text(named)
    replace_once(CHANGELOG, EMPTY_HEADING, f"{EMPTY_HEADING}## {version} ({date})\n\n")


def replace_once(name: str, old: str, new: str) -> None:
    path = ROOT / name
    text = path.read_text()
    assert text.count(old) == 1, f"{name} has no {old!r}"
    path.write_text(text.replace(old, new))


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
