"""What a browser run promises beside what every load does: times, streams, an exact stock, other pages."""

from lab.load.browsers.visit import PAGE, PERSONAL, PRESS
from lab.load.options import Options
from lab.load.result import Part, Result

OTHER_PAGES = "other pages"
#: Seconds in which 99 of 100 have the page, and everybody the answer to a press.
MAX_PAGE_SECONDS, MAX_PRESS_SECONDS = 0.3, 5.0


def violations(options: Options, result: Result, streams_held: int) -> list[str]:
    """Return a sentence for each broken promise."""
    parts = {part.name: part for part in result.parts}
    units = min(options.stock, options.users)
    broken = [
        *_page_violations(parts[PAGE]),
        *_refusals(parts[PAGE], "200"),
        *_refusals(parts[PERSONAL], "200"),
        *_press_violations(parts[PRESS]),
        *_refusals(parts[OTHER_PAGES], "200"),
    ]
    if streams_held < options.users:
        broken.append(f"{streams_held:,} of {options.users:,} held the sale's stream")
    if result.verdict.rows != units:
        broken.append(f"{result.verdict.rows:,} orders of {units:,} units that people wanted")
    return broken


def _page_violations(page: Part) -> list[str]:
    seconds = page.tally.percentile(0.99)
    late = f"p99 of the page was {seconds * 1_000:,.0f} ms, not below {MAX_PAGE_SECONDS * 1_000:,.0f} ms"
    return [late] if seconds >= MAX_PAGE_SECONDS else []


def _press_violations(press: Part) -> list[str]:
    slowest, unanswered = press.tally.percentile(1.0), press.tally.gave_up
    late = f"somebody waited {slowest:.1f} s for the answer to a press, not at most {MAX_PRESS_SECONDS:g} s"
    return [
        *([late] if slowest > MAX_PRESS_SECONDS else []),
        *([f"{unanswered:,} presses had no answer"] if unanswered else []),
    ]


def _refusals(part: Part, right: str) -> list[str]:
    """Return a sentence about what was answered otherwise or not at all."""
    wrong = {code: count for code, count in part.tally.codes.items() if code != right}
    if part.tally.gave_up:
        wrong["no answer"] = part.tally.gave_up
    listed = ", ".join(f"{count:,} × {code}" for code, count in wrong.items())
    return [f"{part.name}: {listed}"] if wrong else []
