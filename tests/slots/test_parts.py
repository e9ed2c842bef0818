import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.template.base import NodeList
from django.urls import reverse
from django.utils import translation

from apps.accounts.models import User
from apps.slots import addresses
from apps.slots.templatetags import parts


def drawn(text: str, **values: object) -> str:
    return Template("{% load i18n parts %}" + text).render(Context(values))


def test_an_icon_is_a_symbol_of_the_sprite() -> None:
    assert drawn('{% icon "map" %}') == (
        '<svg class="icon " aria-hidden="true"><use href="/static/img/icons.svg#map"></use></svg>'
    )


def test_an_icon_with_a_label_says_it() -> None:
    found = drawn('{% icon "map" "icon--solid" label %}', label='"Map" & more')
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
    (node,) = (one for one in page.nodelist if isinstance(one, parts.OnceNode))
    first = page.render(Context({"name": "abc"}))
    node.nodelist = NodeList()
    assert page.render(Context({"name": "abc"})) == first == "121"
    assert page.render(Context({"name": "abcd"})) == ""


def test_a_row_is_no_value() -> None:
    """It is equal to itself, whatever became of its fields."""
    with pytest.raises(TypeError, match="once person="):
        drawn(
            "{% once person=person %}{{ person.nickname }}{% endonce %}", person=User(pk=7, nickname="Alice")
        )


def test_what_is_not_named_does_not_get_in() -> None:
    """Another reader's name would stay on the page for everybody."""
    assert drawn("{% once %}[{{ name }}{{ request.user }}]{% endonce %}", name="Alice") == "[]"


def test_once_does_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST", 10)
    page = Template("{% load parts %}{% once value=value %}{{ value }}{% endonce %}")
    for value in range(100):
        assert page.render(Context({"value": value})) == str(value)
    (node,) = (one for one in page.nodelist if isinstance(one, parts.OnceNode))
    assert len(node._drawn) <= 10


@pytest.mark.parametrize(
    "text",
    [
        "{% once %}{% csrf_token %}{% endonce %}",
        "{% once %}{% if a %}{% csrf_token %}{% endif %}{% endonce %}",
        "{% once %}{% block main %}{% endblock %}{% endonce %}",
        "{% once here %}{% endonce %}",
        "{% once %}",
    ],
)
def test_what_differs_from_page_to_page_is_refused(text: str) -> None:
    with pytest.raises(TemplateSyntaxError):
        drawn(text)


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
    assert addresses.of(view, part) == reverse(view, args=[part])
    assert drawn("{% address view part %}", view=view, part=part) == reverse(view, args=[part])
