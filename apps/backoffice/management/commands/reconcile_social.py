"""manage.py reconcile_social: report, and with --fix repair, social data that differs from SQL's rows."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from apps.backoffice import reconcile_all
from apps.backoffice.reconcile_all import Finding
from apps.redis_kit import client


class Command(BaseCommand):
    help = (
        "Prove that notes, likes, follows, feeds and check-ins agree with SQL; exit code 1 on a difference."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fix", action="store_true", help="repair what differs, then look again")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            fixed = list(reconcile_all.drift(fix=True)) if options["fix"] else []
            left = list(reconcile_all.drift())
        except client.UNAVAILABLE as error:
            raise CommandError("Redis does not answer: nothing can be compared.") from error
        if options["json"]:
            self.stdout.write(
                json.dumps({"clean": not left, "fixed": _as_dicts(fixed), "left": _as_dicts(left)})
            )
        else:
            self._print(fixed, left)
        if left:
            raise SystemExit(1)

    def _print(self, fixed: list[Finding], left: list[Finding]) -> None:
        console = Console()
        for title, findings in (("Repaired", fixed), ("Different from the rows", left)):
            if findings:
                console.print(_build_table(title, findings))
        console.print(f"{len(left)} differences" if left else "Everything agrees with the rows.")


def _as_dicts(findings: list[Finding]) -> list[dict[str, str]]:
    return [asdict(finding) for finding in findings]


def _build_table(title: str, findings: list[Finding]) -> Table:
    table = Table("Subject", "Owner", "Aspect", "Found", "Expected", title=title)
    for finding in findings:
        table.add_row(finding.subject, finding.owner, finding.aspect, finding.actual, finding.expected)
    return table
