"""What the comparison of two looks catches, and what it forgives."""

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.browser.looks import pictures
from tests.browser.page_list import PAGES

PAPER, INK, CARD = "#faf6f2", "#2b1d17", "#d9471f"
#: Of all looks together, in the repository.
MAX_BYTES = 1_500_000
LOOK = pictures.LOOKS[0]


def draw_page(*, cards: int = 4, shift: int = 0, lower: int = 0, ink: str = INK) -> Image.Image:
    """Draw a phone's page of 360 x 1600 pixels: a heading, cards in two columns, lines of text; small.

    All but the heading stands `lower` pixels lower.
    """
    page = Image.new("RGB", pictures.WINDOWS[360], PAPER)
    draw = ImageDraw.Draw(page)
    draw.rectangle((16 + shift, 80, 260 + shift, 108), fill=ink)
    for line in range(12):
        for word in range(6):
            left, top = 16 + word * 54 + shift, 860 + line * 24 + lower
            draw.rectangle((left, top, left + 40, top + 10), fill=ink)
    for number in range(cards):
        left, top = 16 + number % 2 * 168, 140 + number // 2 * 260 + lower
        draw.rectangle((left, top, left + 156, top + 117), fill=CARD)
    return page.reduce(pictures.SCALE)


def test_each_picture_has_its_page_and_all_are_small() -> None:
    files = list(pictures.DIRECTORY.glob("*.webp"))
    assert {path.stem for path in files} == {name for name, page in PAGES.items() if page.has_look}
    assert sum(path.stat().st_size for path in files) < MAX_BYTES


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pictures, "DIRECTORY", tmp_path)
    return tmp_path


def compare_with_kept(seen: Image.Image) -> str:
    """Return what is said of a page beside draw_page(), kept in a file."""
    pictures.write("page", {LOOK: draw_page()})
    return pictures.compare(pictures.read("page")[LOOK], seen)


@pytest.mark.parametrize(
    "seen",
    [draw_page(), draw_page(shift=1), draw_page(ink="#332620"), draw_page(lower=24), draw_page(lower=-24)],
    ids=["same", "a pixel", "a shade", "a line more", "a line less"],
)
def test_what_nobody_sees_is_forgiven(directory: Path, seen: Image.Image) -> None:
    assert compare_with_kept(seen) == ""


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        (draw_page(cards=3), "4.8% of the look is gone"),
        (draw_page(cards=5), "5.1% is new"),
        (draw_page(cards=0), "gone"),
        (draw_page(lower=120), "gone"),
        (Image.new("RGB", (45, 200), "white"), "gone"),
    ],
    ids=["no card", "a new card", "no cards", "far below", "no style"],
)
def test_what_is_missing_or_new_is_said(directory: Path, seen: Image.Image, message: str) -> None:
    assert message in compare_with_kept(seen)


def test_a_page_without_kept_looks_is_said(directory: Path) -> None:
    assert pictures.read("page") == {}
    assert pictures.compare(None, draw_page()) == "no look is kept"
