"""Runs the load lab from the command line: `make load`, or `python -m lab.load`."""

import json
import os
import sys

from rich.console import Console
from rich.live import Live

from lab.load import history, load_run, options, report, terminal, visible_run
from lab.load.browsers import browser_run
from lab.load.result import Reading, Result


def main() -> int:
    # Books build key names, which the settings prefix.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DEMO", "1")
    try:
        wanted = options.parse(sys.argv[1:], os.environ)
        result = _run(wanted)
    except options.Refusal as why:
        print(why, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped before there was anything to judge", file=sys.stderr)
        return 130
    before = history.load_previous(wanted.reports, wanted)
    kept = history.save_result(wanted.reports, wanted, result)
    written = report.write(kept.with_suffix(".html"), wanted, result, before)
    if wanted.json:
        print(json.dumps(result.as_dict() | {"report": str(written)}))
    else:
        terminal.print_result(Console(), result, before=before)
        print(f"Charts: {written}")
    return 0 if result.is_good else 1


def _run(wanted: options.Options) -> Result:
    console = Console(stderr=wanted.json)
    with Live(console=console, transient=wanted.json, auto_refresh=False) as live:

        def watch(reading: Reading) -> None:
            live.update(terminal.table(reading), refresh=True)

        run_load = browser_run.run_load if wanted.browsers else load_run.run_load
        if wanted.tokens:
            run_load = visible_run.run_load
        return run_load(wanted, say=console.print, watch=watch)


if __name__ == "__main__":
    sys.exit(main())
