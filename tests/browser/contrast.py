"""Contrast of what stands on a page against the pixels that are really behind it: axe can't see pictures."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from PIL import Image
from playwright.sync_api import Page

from tests import chromium_pages

Colour = tuple[float, float, float]

#: WCAG 1.4.3 and 1.4.11: of a text, of a large one, of an icon.
TEXT_RATIO, LARGE_RATIO, ICON_RATIO = 4.5, 3.0, 3.0
#: A large text, in CSS pixels: 18 pt, or 14 pt if bold.
LARGE_PIXELS, LARGE_BOLD_PIXELS, BOLD = 24, 18.66, 700
#: How much of the ground may be too close to a text's colour: edges of a rounded corner or of a neighbour.
TOLERATED_SHARE = 0.1
#: Fewer texts are no page.
MIN_TEXTS = 5
#: Leaves everything but texts and icons.
HIDE_TEXTS = """
* { color: transparent !important; text-shadow: none !important; transition: none !important }
.icon { opacity: 0 !important }
"""
FIND_TEXTS = """
() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const opacityOf = (element) => {
    let opacity = 1;
    for (let one = element; one; one = one.parentElement) opacity *= Number(getComputedStyle(one).opacity);
    return opacity;
  };
  const isOnTop = (element, x, y) => {
    const top = document.elementFromPoint(x, y);
    return top && (element.contains(top) || top.contains(element));
  };
  const found = [];
  const add = (element, box, text) => {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (box.width < 4 || box.height < 4 || box.x < 0 || box.y < 0) return;
    if (box.right > innerWidth || box.bottom > innerHeight || !isOnTop(element, x, y)) return;
    const style = getComputedStyle(element);
    const { fontSize, fontWeight, color } = style;
    found.push({
      text, box: [box.left, box.top, box.right, box.bottom], colour: rgba(color), opacity: opacityOf(element),
      size: parseFloat(fontSize), weight: Number(fontWeight), isIcon: text.startsWith("icon"),
    });
  };
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !element.closest("[disabled], [aria-disabled=true], .sr-only, .skip");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    if (!node.data.trim() || !isShown(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(node.parentElement, box, node.data.trim().slice(0, 60));
  }
  for (const icon of document.querySelectorAll(":is(button, a) > .icon")) {
    if (isShown(icon)) add(icon, icon.getBoundingClientRect(), `icon in ${icon.parentElement.className}`);
  }
  return found;
}
"""


@dataclass(frozen=True)
class Faint:
    """A text that is too close to its ground."""

    text: str
    ratio: float

    def __str__(self) -> str:
        return f"{self.text}: {self.ratio:.2f}"


def find_faint_texts(page: Page) -> list[Faint]:
    """Return what is too close in colour to the pixels behind it, of the texts and icons in the window."""
    texts = page.evaluate(FIND_TEXTS)
    chromium_pages.adopt_style(page, HIDE_TEXTS)
    taken = page.screenshot(animations="disabled", caret="hide")
    chromium_pages.adopt_style(page, "")
    ground = Image.open(io.BytesIO(taken)).convert("RGB")
    measured = [(text, measure_ratio(text, ground)) for text in texts]
    assert len(measured) > MIN_TEXTS, "the page shows hardly a text"
    return [Faint(text["text"], ratio) for text, ratio in measured if ratio < least_ratio(text)]


def least_ratio(text: dict[str, Any]) -> float:
    """Return the contrast that a text or an icon needs."""
    if text["isIcon"]:
        return ICON_RATIO
    is_large = text["size"] >= LARGE_PIXELS or (text["size"] >= LARGE_BOLD_PIXELS and text["weight"] >= BOLD)
    return LARGE_RATIO if is_large else TEXT_RATIO


def measure_ratio(text: dict[str, Any], ground: Image.Image) -> float:
    """Return the contrast that all but TOLERATED_SHARE of the pixels behind a text reach."""
    left, top, right, bottom = map(round, text["box"])
    behind = ground.crop((left, top, right, bottom))
    *colour, alpha = text["colour"]
    share = alpha / 255 * text["opacity"]
    counted = cast(list[tuple[int, Colour]], behind.getcolors(behind.width * behind.height))
    left = behind.width * behind.height * TOLERATED_SHARE
    for ratio, pixels in sorted(
        (contrast(blend(colour, pixel, share), pixel), count) for count, pixel in counted
    ):
        left -= pixels
        if left < 0:
            return ratio
    raise AssertionError("a text without pixels")


def blend(colour: Sequence[float], ground: Colour, share: float) -> Colour:
    red, green, blue = (one * share + under * (1 - share) for one, under in zip(colour, ground, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, as WCAG 2 defines it."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Colour) -> float:
    """Return a colour's relative luminance, as WCAG 2 defines it."""
    shares = (channel / 255 for channel in colour)
    linear = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))
