"""`python -m config.translations`: compile every .po file that is newer than its .mo; needs no gettext."""

import os
import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE = Path(__file__).resolve().parent.parent / "locale"


def compile_changed() -> int:
    """How many catalogues were compiled."""
    stale = [source for source in LOCALE.glob("**/LC_MESSAGES/*.po") if _is_newer(source)]
    for source in stale:
        with source.open("rb") as text:
            catalogue = read_po(text, locale=source.parent.parent.name)
        # Whole or not at all: a server may be reading it.
        unfinished = source.with_suffix(f".{os.getpid()}.tmp")
        with unfinished.open("wb") as compiled:
            write_mo(compiled, catalogue)
        unfinished.replace(source.with_suffix(".mo"))
    return len(stale)


def _is_newer(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime


if __name__ == "__main__":
    compile_changed()
    sys.exit(0)
