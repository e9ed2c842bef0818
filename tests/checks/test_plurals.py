"""A counted word has a form for one: no "1 Followers", in no text and beside no number of a page.

A text is found by a number before a word that ends in -s. It has a plural form in the catalogue, or stands in
`always_many.txt`: its number is a limit, a setting, or shown from two on.
"""

import re
from pathlib import Path

from babel.messages.pofile import read_po

from tests.checks import sources

CATALOGUE = sources.ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"
ALWAYS_MANY = Path(__file__).with_name("always_many.txt")
#: Words that end so and are no plural: "%(name)s is", "%(n)s was".
NO_PLURALS = "is|was|has|this|its|pays|gives|owns|does|follows|likes|belongs|redeems|status|as|across|less|us"
#: A number, perhaps an adjective, and a word in the plural.
COUNTED = re.compile(
    rf"%(?:\(\w+\))?[ds](?:</?\w+>)* (?:(?:more|new|newest|damaged) )?(?!(?:{NO_PLURALS})\b)"
    r"(?:[a-z][a-z-]*s|people)\b"
)
#: A number of a page and a translated plural beside it, with nothing but tags between.
BESIDE_A_NUMBER = re.compile(
    r"{{ [\w.]*(?:count|number|total|reviews|[a-z]+s)(?:\|intcomma)? }}(?:\s|</?(?:span|strong|b)\b[^>]*>)*"
    r"{% trans(?:late)? \"[A-Za-z ]*s(?: today)?\""
)
#: In a script: a number put before an English plural.
IN_SCRIPTS = re.compile(r"\$\{[\w.]+\} (?!(?:ms|px|is|has)\b)[a-z]+s\b")


def test_each_counted_word_has_a_form_for_one() -> None:
    with CATALOGUE.open("rb") as text:
        texts = [message.id for message in read_po(text)]
    single = [" ".join(text.split()) for text in texts if isinstance(text, str)]
    found = {message for message in single if COUNTED.search(message)}
    known = set(sources.text(ALWAYS_MANY).splitlines())
    assert sorted(found - known) == [], "give it a plural form, or name it in always_many.txt"
    assert sorted(known - found) == [], "always_many.txt names a text that is gone"


def test_no_number_of_a_page_stands_beside_a_plural_that_is_always_one() -> None:
    pages = sources.files("*.html", "templates")
    found = [sources.display_path(path) for path in pages if BESIDE_A_NUMBER.search(sources.text(path))]
    assert found == []


def test_no_script_counts_in_english() -> None:
    scripts = sources.files("*.js", "static/js")
    found = [sources.display_path(path) for path in scripts if IN_SCRIPTS.search(sources.text(path))]
    assert found == []


def test_the_check_finds_what_it_is_for() -> None:
    assert COUNTED.search("%(n)s followers")
    assert COUNTED.search("%d more keys of it")
    assert COUNTED.search("<strong>%(n)s</strong> people")
    assert not COUNTED.search("%(name)s is here")
    assert BESIDE_A_NUMBER.search(
        '<b>{{ counts.followers|intcomma }}</b>\n <span>{% trans "Followers" %}</span>'
    )
    assert IN_SCRIPTS.search("`${n} followers`")
