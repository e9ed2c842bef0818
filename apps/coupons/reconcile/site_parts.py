"""Sales, their money and their queues as parts of the reconciliation of the whole site."""

from collections.abc import Iterable, Iterator

from apps.coupons.reconcile import payment_invariants, payment_repairs, queues, reconciliation
from apps.coupons.reconcile.sale_repairs import repair
from apps.coupons.reconcile.violations import Violation
from apps.monitoring.reconcile import runs
from apps.redis_kit.findings import Finding

PAYMENTS, QUEUES, SALES = "coupons.payments", "coupons.queues", "coupons.sales"


def save_results(report: reconciliation.Report) -> None:
    """Keep the result of a scheduled run as that of its parts."""
    fixed = [Finding("all", "repaired")] * report.fixed
    for name, violations in (
        (PAYMENTS, [one for one in report.violations if one.rule in payment_invariants.RULE_NAMES]),
        (QUEUES, [one for one in report.violations if one.rule in queues.RULE_NAMES]),
        (SALES, [one for one in report.violations if one.voucher_id is not None]),
    ):
        left = list(_as_findings(violations))
        runs.save(runs.PartReport(name, fixed=fixed if name == SALES else [], left=left))


def check_payments(fix: bool) -> Iterator[Finding]:
    """Yield orders and payments that don't agree."""
    found = list(payment_invariants.find_violations())
    if found and fix:
        payment_repairs.repair()
    yield from _as_findings(found)


def check_queues(fix: bool) -> Iterator[Finding]:
    """Yield partitions whose orders don't reach SQL, or whose clocks of order ids are wrong."""
    for partition, violation in queues.find_violations():
        if fix:
            queues.repair(partition)
        yield from _as_findings([violation], owner=f"partition {partition}")


def check_sales(fix: bool) -> Iterator[Finding]:
    """Yield lasting violations of the invariants of flash sales."""
    for sale in reconciliation.list_sales():
        found = reconciliation.find_lasting_violations(sale)
        if found and fix:
            repair(sale.pk)
        yield from _as_findings(found, owner=f"sale {sale.pk}")


def _as_findings(violations: Iterable[Violation], *, owner: str = "all orders") -> Iterator[Finding]:
    for one in violations:
        yield Finding(owner, one.rule, f"{one.detail} ({one.by})")
