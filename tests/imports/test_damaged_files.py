"""Workbooks that somebody damaged or built on purpose: read, or refused in words, never another error."""

import io
import random
import zipfile
from collections.abc import Callable

import pytest

from apps.imports import reading
from apps.imports.reading import BadFile
from tests.imports.test_reading import make_workbook

# openpyxl warns of parts that it passes over.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
#: Enough to reach every member and, in most, the words that its reader looks for.
DAMAGES = 150
ODD_TEXTS = [
    b"",
    b"\x00",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"XFE1",
    b"../../etc/passwd",
    b"&#0;",
    b"<",
    b'"',
]

Damage = Callable[[dict[str, bytes], random.Random], None]

WORKBOOK = make_workbook(["type", "name", "price"], ["bar", "a", 12.5], ["food", "好", None], ["x", True, 3])


def members() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(WORKBOOK)) as book:
        return {name: book.read(name) for name in book.namelist()}


def pack(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return made.getvalue()


def read_or_refuse(data: bytes) -> str:
    """ "read", or the sentence of the refusal."""
    try:
        list(reading.read(io.BytesIO(data)).rows)
    except BadFile as refusal:
        return str(refusal)
    return "read"


def cut_text(parts: dict[str, bytes], dice: random.Random) -> None:
    """Replace some bytes of a member by an odd text."""
    name = dice.choice(list(parts))
    at = dice.randrange(len(parts[name]))
    length = dice.randrange(12)
    parts[name] = parts[name][:at] + dice.choice(ODD_TEXTS) + parts[name][at + length :]


def replace_value(parts: dict[str, bytes], dice: random.Random) -> None:
    """Put an odd text into the quotes of an attribute."""
    name = dice.choice([name for name in parts if b'="' in parts[name]])
    pieces = parts[name].split(b'"')
    pieces[dice.randrange(1, len(pieces), 2)] = dice.choice(ODD_TEXTS).replace(b'"', b"").replace(b"<", b"")
    parts[name] = b'"'.join(pieces)


def drop_member(parts: dict[str, bytes], dice: random.Random) -> None:
    del parts[dice.choice(list(parts))]


@pytest.mark.parametrize("damage", [cut_text, replace_value, drop_member])
def test_a_damaged_workbook_is_read_or_refused(
    damage: Callable[[dict[str, bytes], random.Random], None],
) -> None:
    dice, ends = random.Random(7), set[str]()
    for _ in range(DAMAGES):
        parts = members()
        damage(parts, dice)
        ends.add(read_or_refuse(pack(parts)))
    assert all(ends)
    assert len(ends) > 1, "some damage does harm, some none"


def test_a_damaged_archive_is_read_or_refused() -> None:
    """Bytes of the archive itself: sizes, checksums, methods, names, the encryption flag."""
    dice, ends = random.Random(11), set[str]()
    for _ in range(DAMAGES):
        data = bytearray(WORKBOOK)
        for _ in range(dice.randrange(1, 4)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        ends.add(read_or_refuse(bytes(data)))
    assert all(ends)
