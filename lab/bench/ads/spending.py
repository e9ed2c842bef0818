"""Money: processes that see, click, double-click, click late and forge, against small budgets."""

import multiprocessing
import random
import time
from collections import Counter

from django.db import connections
from django.db.models import Sum

from apps.ads import keys, reconcile, serving, tasks
from apps.ads.models import Campaign, Charge
from apps.ads.money import campaign_state, charging
from apps.ads.serving import Outcome
from apps.ads.viewer import Viewer
from apps.redis_kit import client
from lab.bench import reports
from tests.ads import makers

PROCESSES, CALLS = 8, 10_000
CAMPAIGNS, CLICKS_A_BUDGET, COST = 40, 60, 250_001
#: A micro more than whole clicks: nothing may round it away.
BUDGET = CLICKS_A_BUDGET * COST + 1


def measure(*, fast: bool) -> str:
    """Spent, left and billed to the micro, and what became of the calls."""
    for number in range(CAMPAIGNS):
        budget = {"price_micros": COST, "budget_micros": BUDGET, "views_per_person": 1_000}
        makers.ad(makers.campaign(name=f"Campaign {number}", **budget), words=["tea"])
    calls = CALLS // 20 if fast else CALLS
    began = time.perf_counter()
    outcomes, charged = _run_processes(calls)
    seconds = time.perf_counter() - began
    books = campaign_state.read_books()
    spent = sum(books.budgets.values()) - sum(books.left.values())
    in_stream = sum(charge.micros for charge in books.pending)
    entries = charging.backlog().lag + charging.backlog().pending
    tasks.save()
    billed = Charge.objects.filter(is_billed=True).aggregate(total=Sum("micros"))["total"] or 0
    over = Campaign.objects.filter(charged_micros__gt=BUDGET).count()
    names = [outcome.name for outcome in Outcome]
    rows = [[f"{outcomes[name]:,}" for name in names]]
    return (
        f"{PROCESSES} processes x {calls:,} rounds in {seconds:.0f} s on {CAMPAIGNS} budgets of "
        f"{BUDGET:,} micros: answers said {charged:,} micros, Redis spent {spent:,}, the stream had "
        f"{in_stream:,} in {entries:,} charges, SQL billed {billed:,}; budgets exceeded: {over}; least "
        f"left: {min(books.left.values()):,} micros; differences that the "
        f"reconciliation finds: {len(reconcile.check(fix=False))}.\n\n"
        + reports.markdown_table([name.lower() for name in names], rows)
    )


def _run_processes(calls: int) -> tuple[Counter[str], int]:
    context = multiprocessing.get_context("fork")
    # Connections that processes share answer the one what the other asked.
    connections.close_all()
    client.close_all()
    with context.Pool(PROCESSES) as pool:
        results = pool.starmap(_click_about, [(number, calls) for number in range(PROCESSES)])
    outcomes: Counter[str] = Counter()
    for counted, _ in results:
        outcomes.update(counted)
    return outcomes, sum(charged for _, charged in results)


def _click_about(seed: int, calls: int) -> tuple[Counter[str], int]:
    """What became of this process's calls, and what the answers say was charged."""
    draw = random.Random(seed)
    outcomes: Counter[str] = Counter()
    charged = 0
    for _ in range(calls):
        viewer = Viewer(f"viewer-{draw.randrange(2_000)}")
        served = serving.choose("shop", ["tea"], makers.ANYWHERE, viewer)
        ticket = served.ticket if served else "1-" + "x" * 22
        recorded = [serving.record_view(ticket, viewer)]
        if served and draw.random() < 0.9:
            makers.move_back(served, "seen", milliseconds=600)
        if served and draw.random() < 0.1:
            client.get().delete(keys.TICKET(ticket=ticket.partition("-")[2]))
        for _ in range(draw.choice([1, 1, 2, 3])):
            forged = draw.random() < 0.1
            recorded.append(serving.record_click(ticket[:-3] + "abc" if forged else ticket, viewer))
        outcomes.update(one.outcome.name for one in recorded)
        charged += sum(one.charged_micros for one in recorded)
    return outcomes, charged
