"""What a pattern page consists of; each module of `pages` holds one `PATTERN`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from apps.patterns.scratch import Scratch
from apps.redis_kit import schema
from apps.redis_kit.scripts import Script
from apps.web import in_language


@dataclass(frozen=True)
class Text:
    """A text in both languages; str() gives the one of the active language.

    It is kept beside the code that it explains, not in the catalogue: there 200 paragraphs would be keyed by
    themselves, and a comma changed in English would make the Chinese a guess. A test wants both languages.
    """

    en: str
    zh: str

    def __str__(self) -> str:
        return in_language.choose(self.en, self.zh)

    def fill(self, **values: object) -> "Text":
        """Both texts with their {placeholders} filled in."""
        return Text(self.en.format(**values), self.zh.format(**values))


@dataclass(frozen=True)
class Outcome:
    """How a demonstration ended: whether the promise of the pattern held, and what happened."""

    holds: bool
    sentence: Text


@dataclass(frozen=True)
class Way:
    """One way to do it: how it works, and a demonstration on scratch keys."""

    text: Text
    run: Callable[[Scratch], Outcome]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two calls that do the same work once, for `manage.py compare`; `about` says which work.

    `prepare` runs before the rounds, each of which gets the same scratch keys.
    """

    about: Text
    naive: Callable[[Scratch], object]
    ours: Callable[[Scratch], object]
    prepare: Callable[[Scratch], object] = lambda _scratch: None


@dataclass(frozen=True)
class LiveKey:
    """A declared key of the site to draw, and what it holds; its elements are masked unless `is_public`."""

    key: schema.Key
    about: Text
    is_public: bool = False
    #: A string that is a row of bits.
    is_bits: bool = False
    #: The name in settings.REDIS_CONNECTIONS of the server that holds it.
    connection: str = "default"


@dataclass(frozen=True)
class Source:
    """Where the pattern is described: a title, and an address if the web has it."""

    title: str
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """One page. `scripts` and `functions` are the site's own, shown as they are in its files."""

    slug: str
    title: Text
    #: One line for the list of patterns.
    summary: Text
    problem: Text
    naive: Way
    ours: Way
    scripts: tuple[Script[Any], ...] = ()
    functions: tuple[Callable[..., Any], ...] = ()
    keys: tuple[LiveKey, ...]
    compared: Comparison
    costs: Text
    limits: Text
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Room:
    """A group of patterns in the list: a package of `pages`; `order` is its place."""

    title: Text
    order: int
    patterns: tuple[Pattern, ...] = field(default=(), compare=False)
