"""The page /design/ shows every component, every picture of an empty state and every icon."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.response import TemplateResponse
from django.test import RequestFactory

from apps.demo.gallery import ICONS, SECTIONS, SHOP_KINDS, GalleryView

TEMPLATES = Path(settings.BASE_DIR) / "templates"
INCLUDED = re.compile(r'{% (?:include|extends) "([^"]+)"')


def find_included(*names: str) -> set[str]:
    """These templates, and all that they include or extend."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += INCLUDED.findall((TEMPLATES / name).read_text())
    return found


def test_every_part_is_on_the_page() -> None:
    """A new file in templates/parts fails here until a section of the gallery shows it."""
    parts = {f"parts/{path.name}" for path in (TEMPLATES / "parts").glob("*.html")}
    assert parts - find_included("demo/design.html", *SECTIONS) == set()


def test_every_icon_is_on_the_page() -> None:
    drawn = set(
        re.findall(r'<symbol id="([\w-]+)"', (settings.BASE_DIR / "static/img/icons.svg").read_text())
    )
    assert drawn - {*ICONS, *SHOP_KINDS} == set()


@pytest.mark.django_db
def test_every_picture_of_an_empty_state_is_on_the_page() -> None:
    page = GalleryView.as_view()(RequestFactory().get("/design/"))
    assert isinstance(page, TemplateResponse)
    text = page.rendered_content
    for path in (TEMPLATES / "parts/art").glob("*.html"):
        drawing = max(path.read_text().splitlines(), key=len).strip()
        assert drawing in text, path.name
