"""Runs the site as it was before its pages were shared: an earlier commit's files, and data of its own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from apps.demo import embedded_redis
from lab.bench.seckill.sale_site import SaleSite
from tests.sites import ROOT, Site

#: The last commit whose pages are made for each person.
COMMIT = "ec4ce43"


def is_there() -> bool:
    """Tell whether this is a clone that has the commit; an archive or a shallow clone hasn't."""
    command = ["git", "cat-file", "-e", f"{COMMIT}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


class EarlierSite(Site):
    """A site that runs the commit's files."""

    def __init__(self, directory: Path, root: Path) -> None:
        super().__init__(directory)
        self.root = root

    def __enter__(self) -> Self:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.redis = embedded_redis.start(self.directory / "redis")
        self.manage("migrate", "--verbosity=0")
        self.manage("collectstatic", "--noinput", "--verbosity=0")
        return self


@contextmanager
def run_earlier_site(people: int, shops: int) -> Iterator[SaleSite]:
    """Run the site as it was for the block, with so many people and shops."""
    with tempfile.TemporaryDirectory(prefix="savor-earlier-") as directory:
        root = Path(directory) / "files"
        _check_out(root)
        with EarlierSite(Path(directory) / "var", root) as site:
            yield SaleSite(site, people, shops)


def _check_out(root: Path) -> None:
    root.mkdir()
    archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", str(root)], input=archive.stdout, check=True)
    compiled = ["make", "-s", "-C", str(root), "translations", f"BIN={Path(sys.executable).parent}"]
    subprocess.run(compiled, check=True)
