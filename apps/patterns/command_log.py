"""The commands that a thread sends to Redis, as its connections see them."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from apps.patterns import keys
from apps.redis_kit import observers
from apps.redis_kit.observers import Exchange

#: Round trips and words of a command that are kept; words are cut after so many characters.
MAX_TRIPS, MAX_WORDS, MAX_WORD_LENGTH = 60, 24, 64
#: What a connection says before the first command.
GREETINGS = {"HELLO", "AUTH", "CLIENT", "SELECT", "PING", "READONLY"}


@dataclass(frozen=True)
class Trip:
    """One round trip: its commands as text, and how long it took."""

    commands: list[str]
    microseconds: int


@dataclass
class CommandLog:
    """Observes the exchanges of the thread that made it.

    `names` shorten what is long: a script's digest -> its file, the prefix of a run -> "…".
    """

    names: Mapping[str, str]
    trips: list[Trip] = field(default_factory=list)
    trip_count: int = 0
    microseconds: int = 0
    _thread: int = field(default_factory=threading.get_ident)

    def before(self, exchange: Exchange) -> None:
        """Nothing: an exchange is logged when it is over."""

    def after(self, exchange: Exchange) -> None:
        """Note an exchange of this thread."""
        if threading.get_ident() != self._thread:
            return
        commands = [words for words in exchange.commands if not _is_bookkeeping(words)]
        if not commands:
            return
        self.trip_count += 1
        self.microseconds += round(exchange.seconds * 1e6)
        if len(self.trips) < MAX_TRIPS:
            texts = [self._show(words) for words in commands[:MAX_WORDS]]
            self.trips.append(Trip(texts, round(exchange.seconds * 1e6)))

    def _show(self, words: list[str]) -> str:
        words_shown = [self._shorten(str(word)) for word in words[:MAX_WORDS]]
        return " ".join([*words_shown, "…"] if len(words) > MAX_WORDS else words_shown)

    def _shorten(self, word: str) -> str:
        for long, short in self.names.items():
            word = word.replace(long, short)
        word = "".join(sign if sign.isprintable() else "·" for sign in word.partition("\n")[0]) or '""'
        return word if len(word) <= MAX_WORD_LENGTH else f"{word[:MAX_WORD_LENGTH]}…"


def _is_bookkeeping(words: list[str]) -> bool:
    return str(words[0]).upper() in GREETINGS or keys.SCRATCH_NAMES() in words


@contextmanager
def recorded(names: Mapping[str, str]) -> Iterator[CommandLog]:
    """A log of this thread's commands in the block."""
    log = CommandLog(names)
    observers.add_observer(log)
    try:
        yield log
    finally:
        observers.remove_observer(log)
