"""`python -m config.environment_file FILE`: refuses lines that a shell and systemd would read differently.

Of the file's settings the units get what systemd reads (EnvironmentFile=), and a person at the shell what
`set -a; . FILE` reads. Both read `NAME=value` alike, with plain characters or in single quotes.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_IGNORED = re.compile(r"\s*(#.*)?")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[A-Za-z0-9_./:@%,+=?-]*")
_QUOTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*='[^'\\\x00-\x1f\x7f]*'")
#: A comment that ends so would go on in the next line, for systemd alone.
_CONTINUED = re.compile(r".*\\\s*")


def find_faults(text: str) -> Iterator[str]:
    """A sentence for each line that isn't read alike, without its value, which may be a secret."""
    for number, line in enumerate(text.split("\n"), start=1):
        if _IGNORED.fullmatch(line) and not _CONTINUED.fullmatch(line):
            continue
        if not (_PLAIN.fullmatch(line) or _QUOTED.fullmatch(line)):
            yield (
                f"line {number} is not read alike by a shell and by systemd: write NAME=value with letters, "
                "digits and _./:@%,+=?- alone, or NAME='value' without ' and \\ in it."
            )


def main(file: str) -> int:
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"{file} can't be read: {error}", file=sys.stderr)
        return 1
    faults = list(find_faults(text))
    for fault in faults:
        print(f"{file}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m config.environment_file FILE")
    sys.exit(main(sys.argv[1]))
