"""manage.py reconcile: report, and with --fix repair, what differs from SQL's rows, in every app."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from apps.monitoring.reconcile import parts, runs
from apps.redis_kit import client
from apps.redis_kit.findings import Finding


class Command(BaseCommand):
    help = "Prove that Redis, SQL and the money agree, app by app; exit code 1 on a difference."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fix", action="store_true", help="repair what differs, then look again")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        parser.add_argument(
            "--part",
            action="append",
            default=[],
            metavar="NAME",
            help="compare only this app (coupons) or part (coupons.sales); may be given several times",
        )
        parser.add_argument("--list", action="store_true", help="print the parts and end")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = parts.select(options["part"])
        except parts.UnknownPart as error:
            known = ", ".join(part.name for part in parts.select())
            raise CommandError(f"There is no part {error}; there are: {known}") from error
        if options["list"]:
            self._print_parts(chosen)
            return
        report = self._run(chosen, fix=options["fix"], quiet=options["json"])
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict()))
        else:
            _print_report(report)
        if not report.clean:
            raise SystemExit(1)

    def _print_parts(self, chosen: list[parts.Part]) -> None:
        width = max(len(part.name) for part in chosen)
        for part in chosen:
            self.stdout.write(f"{part.name:<{width}}  {part.about}")

    def _run(self, chosen: list[parts.Part], *, fix: bool, quiet: bool) -> runs.Report:
        report = runs.Report()
        with Progress(transient=True, disable=quiet) as progress:
            bar = progress.add_task("Comparing", total=len(chosen))
            try:
                for done in runs.run(chosen, fix=fix):
                    report.parts.append(done)
                    progress.update(bar, advance=1, description=done.part)
            except client.UNAVAILABLE as error:
                raise CommandError("Redis does not answer: nothing can be compared.") from error
        return report


def _print_report(report: runs.Report) -> None:
    console = Console()
    fixed = [(part.part, finding) for part in report.parts for finding in part.fixed]
    left = [(part.part, finding) for part in report.parts for finding in part.left]
    for title, findings in (("Repaired", fixed), ("Different from the rows", left)):
        if findings:
            console.print(_build_table(title, findings))
    if fixed:
        console.print(f"{len(fixed)} repaired")
    verdict = f"{len(left)} differences" if left else "everything agrees with the rows"
    console.print(f"{len(report.parts)} parts compared in {report.seconds} s: {verdict}.")


def _build_table(title: str, findings: list[tuple[str, Finding]]) -> Table:
    table = Table("Part", "Owner", "Aspect", "Found", "Expected", title=title)
    for part, finding in findings:
        table.add_row(part, finding.owner, finding.aspect, finding.actual, finding.expected)
    return table
