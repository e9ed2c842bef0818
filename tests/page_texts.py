"""The texts of a page of HTML, each with the language that the page says it is in."""

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import NamedTuple

TEXT_ATTRIBUTES = ("alt", "title", "aria-label", "aria-description", "placeholder", "data-trouble")
VOID_TAGS = frozenset("area base br col embed hr img input link meta source track wbr".split())
#: A text area holds what its writer wrote; names of cookies and codes to redeem are in no language.
SILENT_TAGS = frozenset({"script", "style", "textarea", "code", "data"})
#: Words that Chinese texts write as English ones do.
SHARED_WORDS = frozenset(
    "Savor KTV SPA QR JavaScript TA JPEG PNG WebP GIF MB GPS ID IP JSON Cookie Webhook https".split()
)
#: Views of which title and description hold a person's words, which can't say their language.
WRITTEN_PAGES, HEAD_TAGS = (
    {
        *("blog:note", "blog:comments", "blog:thread", "accounts:person", "chat:show", "search:results"),
        *("saves:list", "saves:delete_list", "blog:topic"),
    },
    {"title", "meta"},
)
HAN = "[\u3400-\u9fff]"
_HAN_PATTERN = re.compile(HAN)
_WORD_PATTERN = re.compile("[A-Za-z]{2,}")
#: A comma beside a digit groups it: "1,200".
_HALF_WIDTH_PATTERN = re.compile(rf"{HAN} ?[,;:!?()]|[,;:!?(] ?{HAN}|{HAN}\.")


class PageText(NamedTuple):
    """A text or a readable attribute of an element, with the language of the nearest `lang`; "" if silent."""

    text: str
    language: str
    tag: str


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[PageText] = []
        self.links: list[str] = []
        #: (tag, language) of the open elements.
        self._open: list[tuple[str, str]] = [("", "")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        around = given.get("lang", self._open[-1][1])
        readable = [given.get(name, "") for name in TEXT_ATTRIBUTES]
        if tag == "meta" and given.get("name") == "description":
            readable.append(given.get("content", ""))
        self.texts += [PageText(text, around, tag) for text in readable if text]
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag not in VOID_TAGS:
            self._open.append((tag, "" if tag in SILENT_TAGS else around))

    def handle_endtag(self, tag: str) -> None:
        while any(tag == opened for opened, _ in self._open):
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if text := " ".join(data.split()):
            tag, language = self._open[-1]
            self.texts.append(PageText(text, language, tag))


def read(html: str) -> tuple[list[PageText], list[str]]:
    """The texts of a page, and the addresses that it links to."""
    reader = _PageReader()
    reader.feed(html)
    return reader.texts, reader.links


def is_foreign(text: str, language: str) -> bool:
    """Whether a text of a page in "en" or "zh-hans" has words of the other language."""
    if language == "en":
        return bool(_HAN_PATTERN.search(text))
    return any(word not in SHARED_WORDS for word in _WORD_PATTERN.findall(text))


def is_in_both(text: str) -> bool:
    """Whether a text says itself in both languages: "Wontons 馄饨"."""
    return is_foreign(text, "en") and is_foreign(text, "zh-hans")


def has_half_width_marks(text: str) -> bool:
    """Whether a Chinese text has a comma, colon, bracket or the like of English texts beside its words."""
    return bool(_HALF_WIDTH_PATTERN.search(text))


def compile_names(people: Iterable[str], dishes: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of names that may stand anywhere: people's, and those of dishes in both languages."""
    known = [*people, *filter(is_in_both, dishes)]
    return re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))


def find_foreign_texts(html: str, language: str, *, view: str, names: re.Pattern[str]) -> Iterator[str]:
    """Yield the texts that a page says are in this language, and are not, or have another one's marks."""
    for text, said, tag in read(html)[0]:
        # A single letter stands in a person's place without a picture.
        if said.lower() != language or len(text) == 1 or (view in WRITTEN_PAGES and tag in HEAD_TAGS):
            continue
        plain = names.sub("", text)
        if is_foreign(plain, language) or (language != "en" and has_half_width_marks(plain)):
            yield text
