"""Text for terminals: what people wrote must not move the cursor, clear the screen or set the title."""

import re
import sys
from typing import Any, TextIO

#: Control characters of ASCII and of its eight-bit twin, but for tab and line feed; and marks that turn the
#: direction of what follows.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
_CONTROL_PATTERN = re.compile(f"[{_CONTROLS}]")
#: The same, but for the colours of Django's commands.
_COLOUR_OR_CONTROL = re.compile(rf"(\x1b\[[0-9;]{{0,20}}m)|[{_CONTROLS}]")


def escape(text: str) -> str:
    """The text with its control characters spelled out, as in \\x1b[2J."""
    return _CONTROL_PATTERN.sub(_spell, text)


class EscapingStream:
    """A text stream that spells out control characters, and lets colours pass."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_COLOUR_OR_CONTROL.sub(lambda found: found[1] or _spell(found), text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    @property
    def rich_proxied_file(self) -> TextIO:
        """Where rich writes tables and progress bars, which move the cursor; no text of people is in them."""
        return self._stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guard_standard_streams() -> None:
    """Have this process spell out control characters in all that it prints."""
    stdout: Any = EscapingStream(sys.stdout)
    stderr: Any = EscapingStream(sys.stderr)
    sys.stdout, sys.stderr = stdout, stderr


def _spell(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
