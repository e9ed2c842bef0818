"""Writes .env.example from the table of settings in docs/operations.md: `make env-example`.

Each variable stands behind a number sign with its default, if that is a text; above it what it means.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE, EXAMPLE = ROOT / "docs" / "operations.md", ROOT / ".env.example"
HEAD = """\
# Settings of the site: copy this file to .env, which its owner alone may read (chmod 600 .env), and take away
# the number sign in front of what you set. A variable of the environment goes before its line here.
# Written by `make env-example` from the table in docs/operations.md.
"""
WIDTH = 115
_ROW = re.compile(r"^\| (`[A-Z_`, ]+`) \| (.*?) \| (.*) \|$", re.MULTILINE)
_PLAIN_VALUE = re.compile(r"[\w.,:/@+-]*")
_WORDS = {"on": "1", "off": "0"}


def render() -> str:
    """The text of .env.example."""
    table = PAGE.read_text().partition("\n## Settings\n")[2].partition("\n## ")[0]
    return HEAD + "".join(_render_row(*row.groups()) for row in _ROW.finditer(table))


def _render_row(names: str, default: str, meaning: str) -> str:
    variables = re.findall(r"[A-Z_]+", names)
    values = _read_defaults(default, len(variables))
    lines = [*_wrap(_plain(meaning))]
    if not all(values):
        lines += _wrap(f"Default: {_plain(default)}")
    assigned = [f"#{name}={_quote(value)}" for name, value in zip(variables, values, strict=True)]
    return "\n" + "\n".join(lines + assigned) + "\n"


def _read_defaults(default: str, count: int) -> list[str]:
    """The values that a cell of defaults names, one a variable; "" where it describes the default instead."""
    parts = [default] if count == 1 else default.split(", ")
    if len(parts) != count:
        return [""] * count
    return [_read_default(part) for part in parts]


def _read_default(part: str) -> str:
    code = re.fullmatch(r"`([^`]*)`", part)
    # A dollar sign would be no value: it names another variable.
    value = code[1] if code else _WORDS.get(part, part if re.fullmatch(r"[\d.]+", part) else "")
    return "" if "$" in value else value


def _quote(value: str) -> str:
    return value if _PLAIN_VALUE.fullmatch(value) else f"'{value}'"


def _plain(markdown: str) -> str:
    """The words of a cell, without the signs of Markdown and with the files that links lead to."""
    linked = re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", markdown)
    linked = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"docs/\2", linked)
    return linked.replace("`", "")


def _wrap(text: str) -> Iterator[str]:
    line = "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            yield line
            line = "#"
        line += f" {word}"
    yield line


if __name__ == "__main__":
    EXAMPLE.write_text(render())
