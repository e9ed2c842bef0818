"""What the reconciliation finds, for tests: the differences of some of its parts."""

from apps.monitoring.reconcile import parts
from apps.redis_kit.findings import Finding


def find_differences(*names: str, fix: bool = False) -> list[Finding]:
    """Every difference that these parts ("follows" or "follows.people") find; `fix` repairs each."""
    return [finding for part in parts.select(names) for finding in part.check(fix)]
