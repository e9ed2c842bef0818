"""The reconciliation: it checks that Redis and SQL agree on every flash sale and payments with orders, and
repairs.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.coupons import keys
from apps.coupons.models import FlashSale, Payment, Reconciliation
from apps.coupons.reconcile import payment_invariants, queues, sale_invariants
from apps.coupons.reconcile.sale_invariants import repair_sale
from apps.coupons.reconcile.violations import Violation
from apps.monitoring.reconcile import runs
from apps.outbox import outbox
from apps.redis_kit.findings import Finding

#: A sale that moves between the two readings is looked at again before it is called wrong.
MAX_CHECKS = 5
PAUSE_SECONDS = 0.2
#: Results kept for the admin.
REPORT_RETENTION = timedelta(days=7)

PAYMENTS, QUEUES, SALES = "coupons.payments", "coupons.queues", "coupons.sales"


@dataclass
class Report:
    """The result of one run; `violations` are those left after the repairs."""

    sales: int = 0
    payments: int = 0
    violations: list[Violation] = field(default_factory=list)
    fixed: int = 0
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        return not self.violations

    def as_dict(self) -> dict[str, object]:
        """The report as JSON takes it."""
        return asdict(self) | {"clean": self.clean}


def run(*, fix: bool = False, step: Callable[[int, int], None] | None = None) -> Report:
    """Check all money, every sale that isn't long over, and the queues; `fix` repairs and looks again.

    `step` hears (done, total) of the sales. client.UNAVAILABLE when Redis is away, after the money's turn.
    """
    started = time.monotonic()
    sales = list_sales()
    report = Report(sales=len(sales), payments=Payment.objects.count())
    _settle(report, payment_invariants.find_violations, payment_invariants.repair_payments, fix=fix)
    _settle(report, _find_in_queues, _mend_queues, fix=fix)
    for done, sale in enumerate(sales, start=1):
        find, mend = partial(find_lasting_violations, sale), partial(repair_sale, sale.pk)
        _settle(report, find, mend, fix=fix)
        if step:
            step(done, len(sales))
    report.seconds = round(time.monotonic() - started, 3)
    return report


def list_sales() -> list[FlashSale]:
    """The sales whose keys Redis still has: those that aren't long over."""
    since = timezone.now() - timedelta(seconds=keys.RETENTION_AFTER_END_SECONDS)
    return list(FlashSale.objects.filter(ends_at__gt=since).order_by("pk"))


def _find_in_queues() -> list[Violation]:
    return [violation for _partition, violation in queues.find_violations()]


def _mend_queues() -> None:
    for partition in {partition for partition, _violation in queues.find_violations()}:
        queues.repair(partition)


def _settle(
    report: Report, find: Callable[[], Iterable[Violation]], mend: Callable[[], object], *, fix: bool
) -> None:
    found = list(find())
    if found and fix:
        mend()
        left = list(find())
        report.fixed += max(0, len(found) - len(left))
        found = left
    report.violations += found


def run_and_save(*, fix: bool = False) -> Report:
    """Run and save the report for the admin."""
    report = run(fix=fix)
    Reconciliation.objects.filter(ran_at__lt=timezone.now() - REPORT_RETENTION).delete()
    Reconciliation.objects.create(
        sales=report.sales,
        payments=report.payments,
        violations=[asdict(one) for one in report.violations],
        fixed=report.fixed,
        seconds=report.seconds,
    )
    return report


def email_managers(report: Report) -> None:
    """Send the managers an e-mail about the violations that are left, at most once an hour."""
    key = f"reconcile:{timezone.now():%Y-%m-%dT%H}"
    subject = _("%s: the books do not agree") % settings.SITE_NAME
    outbox.email_managers(subject=subject, text=summarize(report), key=key)


def find_lasting_violations(sale: FlashSale) -> list[Violation]:
    """Rules that stay broken over several looks: a sale under load is never quite still."""
    found = list(sale_invariants.find_violations(sale))
    for _look in range(MAX_CHECKS - 1):
        if not found:
            break
        time.sleep(PAUSE_SECONDS)
        rules = {one.rule for one in found}
        found = [one for one in sale_invariants.find_violations(sale) if one.rule in rules]
    return found


def summarize(report: Report) -> str:
    """One sentence for people."""
    if report.clean:
        looked = f"{report.sales} sales and {report.payments} payments checked in {report.seconds} s"
        return f"{looked}: nothing oversold, nothing lost."
    rules = sorted({one.rule for one in report.violations})
    return f"{len(report.violations)} violations in {report.sales} sales and their money: {', '.join(rules)}"


def save_results(report: Report) -> None:
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
        payment_invariants.repair_payments()
    yield from _as_findings(found)


def check_queues(fix: bool) -> Iterator[Finding]:
    """Yield partitions whose orders don't reach SQL, or whose clocks of order ids are wrong."""
    for partition, violation in queues.find_violations():
        if fix:
            queues.repair(partition)
        yield from _as_findings([violation], owner=f"partition {partition}")


def check_sales(fix: bool) -> Iterator[Finding]:
    """Yield lasting violations of the invariants of flash sales."""
    for sale in list_sales():
        found = find_lasting_violations(sale)
        if found and fix:
            repair_sale(sale.pk)
        yield from _as_findings(found, owner=f"sale {sale.pk}")


def _as_findings(violations: Iterable[Violation], *, owner: str = "all orders") -> Iterator[Finding]:
    for one in violations:
        yield Finding(owner, one.rule, f"{one.detail} ({one.by})")
