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


def fold(text: str) -> str:
    """What the spellings of one name have in common: width, case, accents' encoding, gaps, what is not drawn.

    Everything that people type to name something is compared in this form: nicknames, mentions, topics,
    dishes, words of staff, cities, recipients of messages.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", drop_ignorable(text)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def spellings(typed: str) -> list[str]:
    """The forms of Unicode in which a database may hold what was typed, the typed one first.

    For a search by SQL, which folds no more than the case of letters.
    """
    if typed.isascii():
        return [typed]
    return list(
        dict.fromkeys([typed, *(unicodedata.normalize(form, typed) for form in ("NFC", "NFD", "NFKC"))])
    )


#: What follows a character and belongs to it: joiners of pictures, tints of skin, tags of flags.
_JOINER, _TINTS, _TAGS = "\u200d", range(0x1F3FB, 0x1F400), range(0xE0020, 0xE0080)
_SELECTORS, _REGIONAL = range(0xFE00, 0xFE10), range(0x1F1E6, 0x1F200)
#: Kinds of Hangul letters that make a syllable: those that begin it, and those that go on.
_HANGUL_FIRST, _HANGUL_NEXT = range(0x1100, 0x1160), range(0x1160, 0x1200)


def first_grapheme(text: str) -> str:
    """What a reader takes for the first character: a letter with its accents, a flag, a family; "" of "".

    A subset of UAX #29: all that people begin names with.
    """
    end = 1
    while end < len(text) and _belongs(text[:end], text[end]):
        end += 1
    return text[:end]


def _belongs(before: str, character: str) -> bool:
    last, code = before[-1], ord(character)
    if character == _JOINER or unicodedata.category(character)[0] == "M":
        return True
    if code in _TINTS or code in _TAGS or code in _SELECTORS:
        return True
    if code in _REGIONAL:
        return len(before) == 1 and ord(last) in _REGIONAL
    if last == _JOINER:
        # A family; letters of other scripts are joined by theirs alone.
        return unicodedata.category(character) == "So" or _joins_letters(before[:-1])
    is_hangul = ord(last) in _HANGUL_FIRST or ord(last) in _HANGUL_NEXT
    return (
        _joins_letters(before)
        and character.isalpha()
        or (is_hangul and (code in _HANGUL_NEXT or (code in _HANGUL_FIRST and ord(last) in _HANGUL_FIRST)))
    )


def _joins_letters(before: str) -> bool:
    """Whether a text ends in a virama, which joins the letters of Indian scripts to one."""
    return bool(before) and unicodedata.combining(before[-1]) == 9
