"""The pictures and the list of floors are those that the code would draw now."""

import runpy

from tests.checks import sources


def test_pictures_are_up_to_date() -> None:
    drawn = runpy.run_path(str(sources.ROOT / "docs" / "draw_pictures.py"))["documents"]()
    stale = [str(path) for path, text in drawn.items() if path.read_text() != text]
    assert not stale, "run `make pictures`"
