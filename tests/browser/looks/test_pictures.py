"""What the comparison of two looks catches, and what it forgives."""

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.browser.looks import pictures
from tests.browser.looks.pages import PAGES

PAPER, INK, CARD = "#faf6f2", "#2b1d17", "#d9471f"
#: Of all looks together, in the repository.
MAX_BYTES = 1_500_000
LOOK = pictures.LOOKS[0]


def draw_page(*, cards: int = 4, shift: int = 0, ink: str = INK) -> Image.Image:
    """Draw a phone's page of 360 x 1600 pixels: a heading, lines of text, cards in two columns; small."""
    page = Image.new("RGB", pictures.WINDOWS[360], PAPER)
    draw = ImageDraw.Draw(page)
    draw.rectangle((16 + shift, 80, 260 + shift, 108), fill=ink)
    for line in range(12):
        for word in range(6):
            left, top = 16 + word * 54 + shift, 860 + line * 24
            draw.rectangle((left, top, left + 40, top + 10), fill=ink)
    for number in range(cards):
        left, top = 16 + number % 2 * 168, 140 + number // 2 * 260
        draw.rectangle((left, top, left + 156, top + 117), fill=CARD)
    return page.reduce(pictures.SCALE)


def test_each_picture_has_its_page_and_all_are_small() -> None:
    files = list(pictures.DIRECTORY.glob("*.webp"))
    assert {path.stem for path in files} - set(PAGES) == set()
    assert sum(path.stat().st_size for path in files) < MAX_BYTES


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pictures, "DIRECTORY", tmp_path)
    return tmp_path


def messages(seen: Image.Image) -> list[str]:
    """Return what is said of a page beside draw_page(), kept in a file."""
    pictures.write("page", {LOOK: draw_page()})
    return list(pictures.changed_looks(pictures.read("page"), {LOOK: seen}))


@pytest.mark.parametrize(
    "seen", [draw_page(), draw_page(shift=1), draw_page(ink="#332620")], ids=["same", "a pixel", "a shade"]
)
def test_what_nobody_sees_is_forgiven(directory: Path, seen: Image.Image) -> None:
    assert messages(seen) == []


@pytest.mark.parametrize(
    "seen",
    [draw_page(cards=3), draw_page(cards=0), Image.new("RGB", (45, 200), "white")],
    ids=["no card", "no cards", "no style"],
)
def test_what_is_missing_is_said(directory: Path, seen: Image.Image) -> None:
    [message] = messages(seen)
    assert message.startswith("en 360 light")


def test_a_page_without_kept_looks_is_said(directory: Path) -> None:
    assert list(pictures.changed_looks(pictures.read("page"), {LOOK: draw_page()})) == [
        "en 360 light: 100.0% of it"
    ]
