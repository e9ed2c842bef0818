import json
from argparse import ArgumentParser
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, OutputWrapper
from rich.console import Console
from rich.table import Table

from apps.redis_kit import schema

COLUMNS = ("pattern", "type", "expiry", "slot", "app", "comes back by")


class Command(BaseCommand):
    help = "Lists every Redis key pattern: type, expiry, cluster slot, app, and how it comes back when lost."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="one JSON list, for programs")
        form.add_argument("--markdown", action="store_true", help="a table for the documentation")

    def handle(self, **options: Any) -> None:
        if options["json"]:
            self.stdout.write(json.dumps([_describe_key(key) for key in schema.declared()], indent=2))
        elif options["markdown"]:
            self.stdout.write(_markdown())
        else:
            _console(self.stdout).print(_table())


def _console(out: OutputWrapper) -> Console:
    # In a pipe or a file the table need not fit a screen. Patterns are text: ":lock:" is no emoji.
    width = None if out.isatty() else 240
    return Console(file=cast(IO[str], out._out), width=width, emoji=False, markup=False)


def _describe_key(key: schema.Key) -> dict[str, str]:
    return {
        "pattern": key.pattern,
        "type": key.type,
        "about": key.about,
        "writer": key.writer,
        "expiry": key.expiry,
        "slot": key.slot_tag,
        "app": key.app,
        "rebuilt_from": key.rebuilt_from,
        "expendable": key.expendable,
    }


def _rows() -> list[list[str]]:
    return [
        [
            key.pattern,
            key.type,
            key.expiry,
            key.slot_tag.replace("<", "").replace(">", "") or "the key",
            key.app,
            _recovery(key),
        ]
        for key in schema.declared()
    ]


def _recovery(key: schema.Key) -> str:
    return key.rebuilt_from or f"expendable: {key.expendable}"


def _table() -> Table:
    table = Table(*COLUMNS, title="Redis keys", row_styles=["", "dim"])
    for row in _rows():
        table.add_row(*row)
    return table


def _markdown() -> str:
    rows = [[f"`{pattern}`", *rest] for pattern, *rest in _rows()]
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
