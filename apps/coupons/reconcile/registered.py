"""Registers sales, their money and their queues with the reconciliation of the whole site."""

from collections.abc import Iterable, Iterator

from apps.coupons.catalog import shops_with_vouchers
from apps.coupons.models import Payment
from apps.coupons.reconcile import payment_invariants, payment_repairs, queues, reconciliation
from apps.coupons.reconcile.sale_repairs import repair
from apps.coupons.reconcile.violations import Violation
from apps.monitoring.reconcile import parts, runs
from apps.monitoring.reconcile.parts import Finding
from apps.shops.models import Shop

PAYMENTS, QUEUES, SALES = "coupons.payments", "coupons.queues", "coupons.sales"


def register() -> None:
    """Register the parts; called when the app is ready. Their own task runs them every five minutes."""
    parts.register(
        PAYMENTS,
        _check_payments,
        about="orders and their money",
        count=Payment.objects.count,
        period=None,
        order=10,
    )
    parts.register(
        QUEUES,
        _check_queues,
        about="orders on their way to SQL, and the clocks of order ids",
        period=None,
        order=11,
    )
    parts.register(
        SALES,
        _check_sales,
        about="flash sales: gate, window, stock, buyers, released orders",
        count=lambda: len(reconciliation.list_sales()),
        period=None,
        order=12,
    )
    parts.register(
        "coupons.shops",
        shops_with_vouchers.check,
        about="until when each shop has vouchers",
        count=Shop.objects.count,
        order=13,
    )


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


def _check_payments(fix: bool) -> Iterator[Finding]:
    found = list(payment_invariants.find_violations())
    if found and fix:
        payment_repairs.repair()
    yield from _as_findings(found)


def _check_queues(fix: bool) -> Iterator[Finding]:
    for partition, violation in queues.find_violations():
        if fix:
            queues.repair(partition)
        yield from _as_findings([violation], owner=f"partition {partition}")


def _check_sales(fix: bool) -> Iterator[Finding]:
    for sale in reconciliation.list_sales():
        found = reconciliation.find_lasting_violations(sale)
        if found and fix:
            repair(sale.pk)
        yield from _as_findings(found, owner=f"sale {sale.pk}")


def _as_findings(violations: Iterable[Violation], *, owner: str = "all orders") -> Iterator[Finding]:
    for one in violations:
        yield Finding(owner, one.rule, f"{one.detail} ({one.by})")
