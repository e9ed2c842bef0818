import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from apps.coupons.reconcile import reconciliation


class Command(BaseCommand):
    help = "Prove that Redis, SQL and the money agree on every sale and order; exit code 1 on a violation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fix", action="store_true", help="repair what is wrong, then look again")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        report = self._run(fix=options["fix"], quiet=options["json"])
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict()))
        else:
            self._print(report)
        if not report.clean:
            raise SystemExit(1)

    def _run(self, *, fix: bool, quiet: bool) -> reconciliation.Report:
        with Progress(transient=True, disable=quiet) as progress:
            bar = progress.add_task("Checking sales", total=None)
            return reconciliation.run(
                fix=fix, step=lambda done, total: progress.update(bar, completed=done, total=total)
            )

    def _print(self, report: reconciliation.Report) -> None:
        console = Console()
        if report.violations:
            table = Table("Rule", "Voucher", "By", "What is wrong")
            for one in report.violations:
                table.add_row(one.rule, str(one.voucher_id or "–"), str(one.by), one.detail)
            console.print(table)
        if report.fixed:
            console.print(f"{report.fixed} repaired")
        console.print(reconciliation.summarize(report))
