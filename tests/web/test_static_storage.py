"""A stylesheet that imports its neighbours is collected as one file, with fingerprints inside."""

import re
import shutil
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

from apps.web import static_storage

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLESHEET = re.compile(r"<link rel=\"stylesheet\" href=\"\{% static '(css/[\w-]+\.css)' %\}\">")


@pytest.fixture
def sources(tmp_path: Path) -> static_storage.Paths:
    """A page's style, made of two, one of which imports a third."""
    css = tmp_path / "sources" / "css"
    css.mkdir(parents=True)
    (css / "page.css").write_text('/* A page. */\n@import "one.css";\n@import "two.css";\n')
    (css / "one.css").write_text('@font-face { src: url("../fonts/plain.woff2"); }\n')
    (css / "two.css").write_text('@import "three.css";\n')
    (css / "three.css").write_text(".three { color: red; }\n")
    (css.parent / "fonts").mkdir()
    (css.parent / "fonts" / "plain.woff2").write_bytes(b"font")
    storage = FileSystemStorage(css.parent)
    names = [f"css/{name}" for name in ("page.css", "one.css", "two.css", "three.css")]
    return {name: (storage, name) for name in [*names, "fonts/plain.woff2"]}


def test_what_a_stylesheet_imports_is_in_it_once_collected(
    sources: static_storage.Paths, tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "sources", tmp_path / "collected")
    collected = static_storage.Storage(location=tmp_path / "collected", base_url="/static/")
    for _, _, processed in collected.post_process(sources):
        assert not isinstance(processed, Exception)
    page = collected.open(collected.hashed_files["css/page.css"]).read().decode()
    assert "@import" not in page
    assert ".three { color: red; }" in page
    assert re.search(r"url\(\"\.\./fonts/plain\.[0-9a-f]{12}\.woff2\"\)", page)


def test_an_import_of_nothing_stops_the_collecting(sources: static_storage.Paths) -> None:
    del sources["css/three.css"]
    with pytest.raises(KeyError, match=r"css/three\.css"):
        static_storage.assemble_stylesheets(sources)


def test_every_stylesheet_of_ours_with_imports_is_assembled() -> None:
    paths = {name: (storage, name) for finder in get_finders() for name, storage in finder.list([])}
    imports = [name for name in paths if name.startswith("css/") and b"@import" in _read(paths, name)]
    assembled = static_storage.assemble_stylesheets(paths)
    assert sorted(assembled) == sorted(imports)
    assert all(b"@import" not in _read(assembled, name) for name in assembled)


def test_a_page_has_one_stylesheet_beside_the_sites() -> None:
    linked = {path.name: STYLESHEET.findall(path.read_text()) for path in TEMPLATES}
    assert {name: sheets for name, sheets in linked.items() if len(sheets) > 1} == {}


def _read(paths: static_storage.Paths, name: str) -> bytes:
    storage, path = paths[name]
    with storage.open(path) as file:
        return bytes(file.read())
