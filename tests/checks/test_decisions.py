"""The list of decisions knows every page and every number, and links between documents lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.checks.sources import ROOT

DECISIONS = ROOT / "docs" / "decisions"
#: A row of the list: number, title, file, date and status.
ROW = re.compile(r"^\| (\d{3}) \| \[(.+)\]\((\S+)\)[^|]*\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
FORMER_NUMBER = re.compile(r"^\| (\d{3}) \|", re.MULTILINE)
#: A link to a file of this repository, without the part of the page.
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
PAGES = (
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
)


def listed() -> list[tuple[str, ...]]:
    return [row.groups() for row in ROW.finditer((DECISIONS / "README.md").read_text())]


def written() -> Iterator[tuple[str, ...]]:
    """Each decision by its own page, as its row in the list must be."""
    for page in DECISIONS.glob("[0-9]*.md"):
        title, _, about, *_ = page.read_text().splitlines()
        number, _, name = title.removeprefix("# ").partition(" ")
        date, status, _ = about.split(" · ")
        yield number, name, page.name, date, status


def test_the_list_has_every_decision_as_its_page_says_it() -> None:
    assert sorted(listed()) == sorted(written())


def test_every_number_stands_once_in_the_list_or_in_the_history() -> None:
    former = FORMER_NUMBER.findall((DECISIONS / "history.md").read_text())
    numbers = sorted([*former, *(number for number, *_ in listed())])
    assert numbers == [f"{number:03}" for number in range(1, len(numbers) + 1)]


def test_links_between_documents_lead_somewhere() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {link}" for page in PAGES for link in links(page) if not leads(page, link)
    ]
    assert not dead, "\n".join(dead)


def links(page: Path) -> list[str]:
    found: list[str] = LINK.findall(page.read_text())
    return found


def leads(page: Path, link: str) -> bool:
    return (page.parent / link).exists()
