import logging

import pytest
from django.template import Context, Engine, Library, Template, TemplateSyntaxError
from django.urls import reverse

from apps.web import object_urls
from apps.web.page_parts import page_part

#: Tags of this file alone.
register = Library()


def render(text: str, **values: object) -> str:
    return Template("{% load i18n parts %}" + text).render(Context(values))


def test_an_icon_is_a_symbol_of_the_sprite() -> None:
    assert render('{% icon "map" %}') == (
        '<svg class="icon " aria-hidden="true"><use href="/static/img/icons.svg#map"></use></svg>'
    )


def test_an_icon_with_a_label_says_it() -> None:
    found = render('{% icon "map" "icon--solid" label %}', label='"Map" & more')
    assert 'class="icon icon--solid" role="img" aria-label="&quot;Map&quot; &amp; more"' in found


@pytest.mark.parametrize(
    ("view", "part"),
    [
        ("shops:detail", 7),
        ("shops:cover", 2**62),
        ("blog:note", 1),
        ("blog:photo", "0a" * 16),
        ("blog:photo", "0a" * 16 + "-card"),
        ("accounts:person", 12),
    ],
)
def test_an_address_is_what_reverse_says(view: str, part: int | str) -> None:
    assert object_urls.build(view, part) == reverse(view, args=[part])
    assert render("{% address view part %}", view=view, part=part) == reverse(view, args=[part])


@page_part(register, "part.html")
def greeting(name: str) -> dict[str, object]:
    """Fails for nobody; its template for whoever has no text."""
    if not name:
        raise ValueError("a fault of the function")
    return {"name": name, "parts": 1 if name == "Bob" else [name]}


@pytest.fixture
def engine() -> Engine:
    sources = {"part.html": "<{{ name }}{% for part in parts %}{{ part }}{% endfor %}>"}
    loaders = [("django.template.loaders.locmem.Loader", sources)]
    return Engine(loaders=loaders, libraries={"here": __name__})


def greet(engine: Engine, name: str) -> str:
    text = "{% load here %}[{% greeting name %}{{ name }}]"
    return engine.from_string(text).render(Context({"name": name}))


def test_a_part_shows_its_template(engine: Engine) -> None:
    assert greet(engine, "<Al>") == "[<&lt;Al&gt;&lt;Al&gt;>&lt;Al&gt;]"


@pytest.mark.parametrize(("name", "fault"), [("", "a fault of the function"), ("Bob", "not iterable")])
def test_a_part_that_fails_is_logged_and_left_out(
    engine: Engine, caplog: pytest.LogCaptureFixture, name: str, fault: str
) -> None:
    with caplog.at_level(logging.ERROR):
        assert greet(engine, name) == f"[{name}]"
    assert "page part greeting failed" in caplog.text
    assert fault in caplog.text


def test_a_part_named_wrongly_is_no_page(engine: Engine) -> None:
    """It would be missing on every page, and only the log would say so."""
    with pytest.raises(TemplateSyntaxError):
        engine.from_string("{% load here %}{% greeting %}")
