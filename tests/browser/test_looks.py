"""Pages look as they are kept: no block is missing, no stylesheet is lost. `make looks` keeps them anew."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.looks import photographer, pictures
from tests.browser.looks.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1_200)]
#: Where a failing test leaves the kept looks, the seen ones and what differs.
DIFFERENCES = Path(__file__).resolve().parents[2] / "var" / "looks"
IS_WRITING = os.environ.get("LOOKS") == "write"


def test_pages_look_as_they_are_kept(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    changed: dict[str, list[str]] = {}
    if IS_WRITING:
        pictures.clear()
    with photographer.frozen_city(tmp_path_factory.mktemp("looks")) as site:
        taking = photographer.Photographer(browser, site)
        for name, page in PAGES.items():
            kept = {} if IS_WRITING else pictures.read(name)
            seen = taking.take(page, kept)
            if IS_WRITING:
                pictures.write(name, seen)
                continue
            if messages := list(pictures.changed_looks(kept, seen)):
                changed[name] = messages
                DIFFERENCES.mkdir(parents=True, exist_ok=True)
                pictures.explain(kept, seen).save(DIFFERENCES / f"{name}.png")
        taking.close()
    assert changed == {}, f"see {DIFFERENCES}; `make looks` keeps what is there now"
