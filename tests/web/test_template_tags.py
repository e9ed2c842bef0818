import logging

import pytest
from django.template import Context, Engine, Library, Template, TemplateSyntaxError
from django.template.base import NodeList
from django.urls import reverse
from django.utils import translation
from django.utils.html import escape
from django.utils.safestring import mark_safe

from apps.accounts.models import User
from apps.web import object_urls
from apps.web import render_once as drawings
from apps.web.page_parts import page_part
from apps.web.render_once import OnceNode

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


def test_once_draws_again_for_another_value() -> None:
    page = Template("{% load parts %}{% once value=value %}[{{ value }}]{% endonce %}")
    for value, said in [(1, "[1]"), (True, "[True]"), (1.0, "[1.0]"), ("<", "[&lt;]"), (1, "[1]")]:
        assert page.render(Context({"value": value})) == said


def test_once_draws_again_in_another_language() -> None:
    page = Template('{% load i18n parts %}{% once %}{% trans "Home" %}{% endonce %}')
    found = []
    for language in ("en", "zh-hans", "en"):
        with translation.override(language):
            found.append(page.render(Context()))
    assert found == ["Home", "首页", "Home"]


def test_once_does_not_draw_twice() -> None:
    page = Template(
        "{% load parts %}{% once name=name %}{% for one in name %}{% cycle 1 2 %}{% endfor %}{% endonce %}"
    )
    (node,) = (one for one in page.nodelist if isinstance(one, OnceNode))
    first = page.render(Context({"name": "abc"}))
    node.nodelist = NodeList()
    assert page.render(Context({"name": "abc"})) == first == "121"
    assert page.render(Context({"name": "abcd"})) == ""


def test_a_row_is_no_value() -> None:
    """It is equal to itself, whatever became of its fields."""
    with pytest.raises(TypeError, match="once person="):
        render(
            "{% once person=person %}{{ person.nickname }}{% endonce %}", person=User(pk=7, nickname="Alice")
        )


def test_a_tuple_is_told_apart_by_its_members() -> None:
    page = Template("{% load parts %}{% once pair=pair %}{{ pair.0 }}-{{ pair.1.0 }}{% endonce %}")
    for pair, said in [((1, ("a",)), "1-a"), ((1, ("<",)), "1-&lt;"), ((1, ("a",)), "1-a")]:
        assert page.render(Context({"pair": pair})) == said


@pytest.mark.parametrize("member", [mark_safe("<b>"), User(pk=7), [1], (1, mark_safe("a"))])
def test_a_tuple_holds_nothing_but_plain_values(member: object) -> None:
    """What is marked as safe would be one key with what is not."""
    with pytest.raises(TypeError):
        render("{% once pair=pair %}{{ pair.0 }}{% endonce %}", pair=("a", member))


def test_a_gap_is_filled_by_the_page_each_time() -> None:
    page = Template(
        "{% load parts %}{% once names=names %}{% for name in names %}"
        "{{ name }}{% placeholder %}[{{ name }}{{ me }}]{% endplaceholder %}"
        "{% endfor %}.{% endonce %}"
    )
    for me in ("<alice>", "bob"):
        shown = page.render(Context({"names": ("a", "b"), "me": me}))
        filled = f"[{escape(me)}]"
        assert shown == f"a{filled}b{filled}."


def test_a_gap_inside_of_two_drawings_is_the_page_s() -> None:
    page = Template(
        "{% load parts %}{% once a=1 %}({% once b=2 %}{{ me }}{% placeholder %}"
        "{{ me }}{% endplaceholder %}{% endonce %}"
        "{% placeholder %}!{% once c=3 %}{% placeholder %}{{ me }}{% endplaceholder %}{% endonce %}"
        "{% endplaceholder %}){% endonce %}"
    )
    assert [page.render(Context({"me": me})) for me in "xyx"] == ["(x!x)", "(y!y)", "(x!x)"]


def test_a_gap_in_an_included_template_is_the_page_s() -> None:
    """Also where `only` takes the rest away."""
    sources = {
        "part": "{% load parts %}{{ word }}{% placeholder %}{{ me }}{% endplaceholder %}",
        "page": '{% load parts %}{% once %}{% include "part" with word="v" only %}{% endonce %}',
    }
    loaders = [("django.template.loaders.locmem.Loader", sources)]
    libraries = {"parts": "apps.web.templatetags.parts"}
    page = Engine(loaders=loaders, libraries=libraries).get_template("page")
    assert [page.render(Context({"me": me})) for me in "xy"] == ["vx", "vy"]


def test_what_is_not_named_does_not_get_in() -> None:
    """Another reader's name would stay on the page for everybody."""
    assert render("{% once %}[{{ name }}{{ request.user }}]{% endonce %}", name="Alice") == "[]"


def test_once_does_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "MAX_CACHED_CHARACTERS", 10)
    page = Template("{% load parts %}{% once value=value %}{{ value }}{% endonce %}")
    for value in range(100):
        assert page.render(Context({"value": value})) == str(value)
    (node,) = (one for one in page.nodelist if isinstance(one, OnceNode))
    assert len(node._drawn) <= 10


@pytest.mark.parametrize(
    "text",
    [
        "{% once %}{% block main %}{% endblock %}{% endonce %}",
        "{% once %}{% placeholder %}{% block main %}{% endblock %}{% endplaceholder %}{% endonce %}",
        "{% placeholder %}",
        "{% once here %}{% endonce %}",
        "{% once %}",
    ],
)
def test_what_differs_from_page_to_page_is_refused(text: str) -> None:
    with pytest.raises(TemplateSyntaxError):
        render(text)


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
