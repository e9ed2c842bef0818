"""The schema of Redis keys: each key is declared once, and only its declaration builds it.

STOCK = schema.key("coupons:{p<partition>}:stock:<voucher>", type="string", expiry="sale end + 7 days",
                   writer="loading.open_gate, lua/claim", rebuilt_from="apps.coupons.claims.loading:rebuild")
STOCK(partition=3, voucher=7)  ->  "savor:coupons:{p3}:stock:7"
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import ClassVar, Literal

from django.conf import settings
from django.utils.module_loading import autodiscover_modules

KeyType = Literal["string", "hash", "list", "set", "zset", "stream"]
Part = int | str
#: A rebuild function calls it as it proceeds: (done, total).
ReportProgress = Callable[[int, int], None]

_FIELD = re.compile(r"<(\w+)>")
#: A part may contain no white space, no brace (it would change the slot) and no NUL.
_MAX_PART_LENGTH = 200
_PART = re.compile(rf"[^\s{{}}\x00]{{1,{_MAX_PART_LENGTH}}}")
#: Stands for the part that differs; no part is a control character.
_PLACEHOLDER = "\x01"

_declared: dict[str, "Key"] = {}


def marked(text: str) -> str:
    """The same text, which `make messages` collects where it is imported as `_`.

    Keys are declared before there are settings, which gettext_noop wants.
    """
    return text


@dataclass(frozen=True)
class Key:
    """One declared key pattern: its type, its expiry in words (or "none"), its writer, and its recovery.

    `rebuilt_from` is the function that restores it from SQL; `expendable` says why losing it is harmless;
    `private` names what in its values is secret from operators of Redis, "" for nothing.
    """

    pattern: str
    type: KeyType
    about: str
    writer: str
    expiry: str
    rebuilt_from: str = ""
    expendable: str = ""
    private: str = ""
    app: str = ""
    fields: tuple[str, ...] = field(default=(), compare=False)
    #: A key is callable; a template that shows one means the declaration.
    do_not_call_in_templates: ClassVar[bool] = True

    def __call__(self, **parts: Part) -> str:
        if set(parts) != set(self.fields):
            raise TypeError(f"{self.pattern} takes {self.fields}, not {tuple(parts)}")
        for name, value in parts.items():
            if type(value) is not int and not (type(value) is str and _PART.fullmatch(value)):
                raise ValueError(f"{self.pattern}: {name}={value!r:.80} can't be part of a key")
        return self._template % parts

    def build_many(self, name: str, values: Sequence[str], /, **fixed: Part) -> list[str]:
        """Keys that differ in the part `name`, at a fraction of the cost of building each."""
        before, after = self(**fixed, **{name: _PLACEHOLDER}).split(_PLACEHOLDER)
        # Letters and digits, as of digests, need no closer check.
        are_plain = (
            "".join(values).isalnum() and all(values) and len(max(values, key=len)) <= _MAX_PART_LENGTH
        )
        for value in () if are_plain else values:
            if not _PART.fullmatch(value):
                raise ValueError(f"{self.pattern}: {name}={value!r:.80} can't be part of a key")
        return [f"{before}{value}{after}" for value in values]

    @cached_property
    def _template(self) -> str:
        return f"{settings.REDIS_PREFIX}:" + _FIELD.sub(r"%(\1)s", self.pattern.replace("%", "%%"))

    @property
    def slot_tag(self) -> str:
        """The part in braces, which a cluster hashes; "" when it hashes the whole key."""
        braces = re.search(r"\{(.*?)\}", self.pattern)
        return braces[1] if braces else ""

    @cached_property
    def _shape(self) -> re.Pattern[str]:
        literal = re.escape(f"{settings.REDIS_PREFIX}:{self.pattern}")
        return re.compile(re.sub(r"<\w+>", r"[^\\s{}\\x00]+", literal))

    @cached_property
    def _named_shape(self) -> re.Pattern[str]:
        literal = re.escape(f"{settings.REDIS_PREFIX}:{self.pattern}")
        return re.compile(_FIELD.sub(r"(?P<\1>[^\\s{}\\x00]+)", literal))

    def parse(self, raw: str) -> dict[str, str] | None:
        """The parts of a key on the server; None when it is not one of this pattern."""
        found = self._named_shape.fullmatch(raw)
        return found.groupdict() if found else None

    def matches(self, raw: str) -> bool:
        """Whether a key on the server is one of this pattern."""
        return self._shape.fullmatch(raw) is not None

    def count_colons(self, raw: str) -> int:
        """How many colons of a key of this pattern lie in the values of its fields."""
        return raw.count(":") - self.pattern.count(":") - 1

    @property
    def scan_pattern(self) -> str:
        """The glob with which SCAN MATCH finds these keys."""
        return f"{settings.REDIS_PREFIX}:" + _FIELD.sub("*", self.pattern)


def key(
    pattern: str,
    *,
    type: KeyType,  # noqa: A002 - the field's own word
    about: str,
    writer: str,
    expiry: str,
    rebuilt_from: str = "",
    expendable: str = "",
    private: str = "",
) -> Key:
    """Declare a key; `rebuilt_from` is "module:function" of a rebuild that an app provides, `expendable` the
    reason why losing it is fine.

    Values with something `private` are masked in the admin and in the lens.
    """
    if bool(rebuilt_from) == bool(expendable):
        raise ValueError(f"{pattern}: say either rebuilt_from or expendable")
    if pattern in _declared:
        raise ValueError(f"{pattern} is declared twice")
    declaration = Key(
        pattern=pattern,
        type=type,
        about=about,
        writer=writer,
        expiry=expiry,
        rebuilt_from=rebuilt_from,
        expendable=expendable,
        private=private,
        app=pattern.partition(":")[0],
        fields=tuple(_FIELD.findall(pattern)),
    )
    _declared[pattern] = declaration
    return declaration


@cache
def load_all() -> None:
    """Import every installed app's keys.py once, so that the schema is complete."""
    autodiscover_modules("keys")


def declared() -> list[Key]:
    """Every declared key, sorted by pattern."""
    load_all()
    return [_declared[pattern] for pattern in sorted(_declared)]


def match(raw: str) -> Key | None:
    """The declaration of a key on the server, or None; of several the most specific one.

    That is the one whose fields span the fewest colons: a field's value rarely has one.
    """
    load_all()
    app = raw.removeprefix(f"{settings.REDIS_PREFIX}:").partition(":")[0]
    matching = [one for one in _declared.values() if one.app == app and one.matches(raw)]
    return min(
        matching, key=lambda one: (one.count_colons(raw), *specificity(one), one.pattern), default=None
    )


def compile_shapes(chosen: Sequence[Key]) -> re.Pattern[str]:
    """A pattern that matches the keys on the server of all these declarations.

    `lastindex` of what it finds is the place from 1 of the first declaration that the key is one of.
    """
    return re.compile("|".join(f"({one._shape.pattern})" for one in chosen))


def specificity(declared_key: Key) -> tuple[int, int]:
    """What orders several declarations of a key: the fewest fields, then the longest literal part."""
    return len(declared_key.fields), -len(_FIELD.sub("", declared_key.pattern))


def rebuilders() -> Iterator[tuple[str, list[Key]]]:
    """Yield ("module:function", the keys that it restores); monitoring.rebuilding has the functions."""
    grouped: dict[str, list[Key]] = {}
    for candidate in declared():
        if candidate.rebuilt_from:
            grouped.setdefault(candidate.rebuilt_from, []).append(candidate)
    yield from grouped.items()
