"""Every text that people read is in Simplified Chinese, with the placeholders of the original.

`make messages` collects new texts into locale/; a translator fills them in. A counted word has a form for one
("1 Follower"): a text is found by a number before a word that ends in -s. It has a plural form in the
catalogue, or stands in `always_many.txt`: its number is a limit, a setting, or shown from two on.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

import django
import unfold
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.apps import apps
from django.db import models
from django.utils import translation
from django.utils.translation.template import templatize

from tests import page_texts
from tests.checks import sources

OURS = sources.ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"
FOLDERS = ("apps", "config", "templates")
LAZY = {f"{name}_lazy": DEFAULT_KEYWORDS[name] for name in ("gettext", "ngettext", "pgettext", "npgettext")}
LAZY["gettext_noop"] = DEFAULT_KEYWORDS["gettext"]
#: A file without any of these calls has no text, and need not be taken to pieces.
CALLS = re.compile(rf"\b(?:{'|'.join((*DEFAULT_KEYWORDS, *LAZY))})\s*\(")
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[sd]")
Text = tuple[str | None, str]
#: Words without a context that several apps use, read and found to mean the same in each.
SHARED_WORDS = Path(__file__).with_name("shared_words.txt")
#: A longer text says what it means by itself.
MAX_SHARED_WORDS = 2
#: Words of Django's own pages that ours say otherwise, there too.
OTHER_THAN_DJANGO = {
    "Add",
    "Add %(name)s",
    "Administration",
    "Clear",
    "Go",
    "History",
    "Log out",
    "Remove",
    "entry",
}

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


def singular_of(message: str | Iterable[str]) -> str:
    """The singular of a text and its plural."""
    return message if isinstance(message, str) else next(iter(message))


def collect_texts(path: Path) -> set[Text]:
    """(context, text) of every call of gettext in a file; templates as Django's makemessages sees them."""
    code = sources.text(path)
    if path.suffix == ".html":
        # Its line breaks stay, its indents would be Python's.
        code = "\n".join(line.strip() for line in templatize(code, origin=str(path)).splitlines())
    if not CALLS.search(code):
        return set()
    found = extract("python", BytesIO(code.encode()), keywords={**DEFAULT_KEYWORDS, **LAZY})
    return {(context, singular_of(message)) for _, message, _, context in found}


def used_texts() -> set[Text]:
    files = sources.files("*.py", *FOLDERS) + sources.files("*.html", *FOLDERS)
    return set[Text]().union(*(collect_texts(path) for path in files))


@cache
def catalogue(path: Path) -> Catalog:
    with path.open("rb") as text:
        return read_po(text, locale=path.parent.parent.name)


def entries(path: Path) -> list[Message]:
    return [message for message in catalogue(path) if message.id]


def iter_translations() -> Iterator[tuple[Message, str]]:
    """Every form of every text of all catalogues, each with its translation."""
    for path in sources.files("*.po", "locale"):
        for message in entries(path):
            yield from ((message, translated) for translated in translations(message))


def translations(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or [])


def longest_form(message: Message) -> str:
    """The form with the most placeholders: the plural, where there is one."""
    return message.id if isinstance(message.id, str) else str(message.id[-1])


def placeholders_in(path: Path) -> set[Text]:
    return {(message.context, singular_of(message.id)) for message in entries(path)}


def test_each_text_stands_once_in_the_catalogue() -> None:
    """`make messages` refuses a second one; Babel, which compiles the catalogue, takes the last silently."""
    written = [line for line in OURS.read_text().splitlines() if line.startswith("msgid ")]
    assert len(written) == len([*catalogue(OURS)]), "a text stands twice"


def test_our_catalogue_holds_the_texts_of_the_code_and_no_others() -> None:
    held, in_code = placeholders_in(OURS), used_texts()
    assert in_code - held == set(), "new texts: run `make messages` and translate them"
    assert held - in_code == set(), "texts that are gone: run `make messages`"


def test_no_page_of_the_admin_is_left_in_english() -> None:
    """django-unfold ships no translations: what Django's do not cover is in locale/unfold."""
    package = Path(unfold.__file__).parent
    files = [*(package / "templates").rglob("*.html"), *(package / "contrib/filters").rglob("*.html")]
    shown = set[Text]().union(*map(collect_texts, files))
    with translation.override("zh-hans"):
        # Python 3.11.2 finds a text that has a plural form by ngettext alone.
        english = {
            text
            for _, text in shown
            if translation.gettext(text) == text and translation.ngettext(text, text, 1) == text
        }
    assert english == set()


def test_every_text_is_translated_and_none_is_a_guess() -> None:
    messages = [message for path in sources.files("*.po", "locale") for message in entries(path)]
    empty = [message.id for message in messages if not all(translations(message))]
    guessed = [message.id for message in messages if message.fuzzy]
    assert (empty, guessed) == ([], [])


def test_a_translation_keeps_the_placeholders() -> None:
    differing = [
        message.id
        for message, translated in iter_translations()
        if sorted(PLACEHOLDER.findall(translated)) != sorted(PLACEHOLDER.findall(longest_form(message)))
    ]
    assert differing == []


def test_a_chinese_text_has_chinese_marks() -> None:
    texts = [text for _, text in iter_translations()]
    assert [text for text in texts if page_texts.has_half_width_marks(PLACEHOLDER.sub("字", text))] == []


def test_no_obsolete_text_is_kept() -> None:
    obsolete = [text for path in sources.files("*.po", "locale") for text in catalogue(path).obsolete]
    assert obsolete == []


def app_of(path: str) -> str:
    """The app that a file of code or a template belongs to."""
    parts = path.removeprefix("apps/").removeprefix("templates/").removeprefix("admin/").split("/")
    return parts[0] if len(parts) > 1 else ""


def words_of_several_apps() -> Iterator[str]:
    for message in entries(OURS):
        word = singular_of(message.id)
        files = [file for file, _ in message.locations if app_of(file)]
        if not message.context and len(word.split()) <= MAX_SHARED_WORDS and len(set(map(app_of, files))) > 1:
            yield word


def test_a_word_without_context_means_the_same_in_every_app() -> None:
    """ "open" of a report, a log-in and a site are three words in Chinese, each with its context."""
    used, listed = sorted(words_of_several_apps()), SHARED_WORDS.read_text().splitlines()
    assert sorted(set(used) - set(listed)) == [], "one meaning? list it; several? pgettext in each place"
    assert sorted(set(listed) - set(used)) == [], "no longer used by several apps"
    assert listed == sorted(listed)


def django_catalogues() -> list[Path]:
    package = Path(django.__file__).parent
    names = [
        config.name.replace(".", "/")
        for config in apps.get_app_configs()
        if config.name.startswith("django.")
    ]
    folders = [package / "conf", *(package.parent / name for name in names)]
    return [file for folder in folders if (file := folder / "locale/zh_Hans/LC_MESSAGES/django.mo").exists()]


def test_no_word_of_ours_changes_what_a_page_of_django_says() -> None:
    """A text of ours without context also stands where Django has it: "group" of chats, on the roles."""
    changed = set[str]()
    ours = {
        singular_of(message.id): translations(message)[0] for message in entries(OURS) if not message.context
    }
    for path in django_catalogues():
        with path.open("rb") as file:
            theirs = [message for message in read_mo(file) if message.id and not message.context]
        for message in theirs:
            word = singular_of(message.id)
            if word in ours and ours[word] != translations(message)[0]:
                changed.add(word)
    forms = {"Order", "Text"}  # of sets of forms and of the pages for developers, which this site has not
    assert changed - OTHER_THAN_DJANGO - forms == set()


def test_a_moment_is_not_called_what_a_state_is() -> None:
    """ "sent" is both in English; in Chinese a column is 发送时间, a state 已发送."""
    with translation.override("zh-hans"):
        fields = [
            field
            for model in apps.get_models()
            if model.__module__.startswith("apps.")
            for field in model._meta.get_fields()
            if isinstance(field, models.Field)
        ]
        states = {str(label) for field in fields for _, label in field.flatchoices}
        moments = {str(field.verbose_name) for field in fields if isinstance(field, models.DateTimeField)}
    assert len(states) > 20
    assert moments & states == set()


def test_each_counted_word_has_a_form_for_one() -> None:
    with OURS.open("rb") as text:
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
