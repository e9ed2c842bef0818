"""Redeem codes: twelve characters of Crockford's base32, read in groups of four, however they are typed.

Source: https://www.crockford.com/base32.html. Orders of before have codes of 16 characters in which case
counts; both are found.
"""

import re
import secrets
import unicodedata

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: 60 random bits. Of ten million codes two are equal with a chance of 1 in 23,000; SQL refuses the second.
CODE_LENGTH, GROUP_LENGTH = 12, 4
CODE_PATTERN = re.compile(f"[{ALPHABET}]{{{CODE_LENGTH}}}")
#: As codes were before: base64, 16 characters.
OLD_CODE_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,24}")
#: The character of a random byte: each stands for eight of the 256.
_CHARACTERS = (ALPHABET * 8).encode()
_GAPS = re.compile(r"[\s\-\u2010-\u2015\u2212]+")
_LOOK_ALIKES = str.maketrans("OIL", "011")


def draw(count: int) -> list[str]:
    """`count` random codes, from one read of the system's random source."""
    drawn = secrets.token_bytes(CODE_LENGTH * count).translate(_CHARACTERS).decode()
    return [drawn[start : start + CODE_LENGTH] for start in range(0, len(drawn), CODE_LENGTH)]


def draw_one() -> str:
    """A random code, which the buyer shows at the shop once the order is paid."""
    return draw(1)[0]


def spell(code: str) -> str:
    """A code as people read it, "7KQ2 9XMW 4TBD"; one of before as it is."""
    if not CODE_PATTERN.fullmatch(code):
        return code
    return " ".join(code[start : start + GROUP_LENGTH] for start in range(0, CODE_LENGTH, GROUP_LENGTH))


def parse(text: str) -> list[str]:
    """The codes that what was typed or scanned may mean: at most an old one and a new one.

    A scanner types the whole link. Spaces and dashes don't count, nor does case; O is 0, I and L are 1, and
    the wide characters of a Chinese keyboard are plain ones.
    """
    typed = unicodedata.normalize("NFKC", text.strip().rpartition("code=")[2]).strip()
    code = _GAPS.sub("", typed).upper().translate(_LOOK_ALIKES)
    found = [typed] if OLD_CODE_PATTERN.fullmatch(typed) else []
    return [*found, code] if CODE_PATTERN.fullmatch(code) else found
