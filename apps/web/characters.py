"""What characters are to a reader: visible or not, and the plain form of pasted digits and signs."""

import re
import unicodedata

#: Default_Ignorable_Code_Point of Unicode 16 (DerivedCoreProperties.txt): drawn as nothing, by definition.
_IGNORABLE_RANGES = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_IGNORABLE = "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORABLE_RANGES)
_IGNORABLE_PATTERN = re.compile(f"[{_IGNORABLE}]")
#: A pattern of eight dots of which none is raised: a sign to Unicode, a gap to a reader.
_BLANK_SIGNS = "\u2800"
#: Planes of symbols and of Chinese characters: what this Python's Unicode doesn't know there yet is drawn.
_DRAWN_PLANES = (range(0x1F000, 0x1FFFE), range(0x20000, 0x2FFFE), range(0x30000, 0x3FFFE))
#: Signs that stand for plain ones in numbers that people paste: brackets, plus, dots.
_PLAIN_SIGNS = str.maketrans("（）［］＋﹢．。·･•／", "()()++......")
_DASHES = {"\u2212", "\u30fc", "~", "\u301c"}


def drop_ignorable(text: str) -> str:
    """Return the text without the characters that are drawn as nothing, such as marks of direction."""
    return _IGNORABLE_PATTERN.sub("", text)


def has_visible_characters(text: str) -> bool:
    """Tell whether a text has a character that can be seen: a letter, digit, sign or picture."""
    return any(map(_is_visible, drop_ignorable(text)))


def _is_visible(character: str) -> bool:
    kind = unicodedata.category(character)
    if kind == "Cn":
        return any(ord(character) in plane for plane in _DRAWN_PLANES)
    return kind[0] in "LNPS" and character not in _BLANK_SIGNS


def to_line_feeds(text: str) -> str:
    """Return the text with "\\n" for every kind of line end, so that a line break is one letter."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def to_plain_number(text: str) -> str:
    """Return a pasted number with ASCII digits for those of any script, "-" for dashes, single spaces.

    Other characters stay, so that what is no number is still none: "²" and letters among them.
    """
    if text.isascii():
        return " ".join(text.replace("~", "-").split())
    signs = drop_ignorable(text).translate(_PLAIN_SIGNS)
    return " ".join("".join(map(_to_plain_sign, signs)).split())


def _to_plain_sign(character: str) -> str:
    kind = unicodedata.category(character)
    if kind == "Nd":
        return str(unicodedata.decimal(character))
    if kind == "Pd" or character in _DASHES:
        return "-"
    return " " if character.isspace() else character
