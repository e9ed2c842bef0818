"""Compares the copy of changed settings in Redis with SQL's rows; siteconfig stands below this app."""

from collections.abc import Iterator

from apps.redis_kit.findings import Finding
from apps.siteconfig.components import copies


def check(fix: bool) -> Iterator[Finding]:
    """Yield components whose settings differ in two comparisons."""
    suspects = {name for name, _actual, _expected in copies.list_differences()}
    found = [one for one in copies.list_differences() if one[0] in suspects] if suspects else []
    if found and fix:
        copies.rebuild()
    for name, actual, expected in found:
        yield Finding(f"component {name}", "settings", actual or "nothing", expected or "nothing")
