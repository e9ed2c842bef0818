"""Measures one person's whole journey, and the same as it was before pages were shared."""

from dataclasses import replace

from lab.bench.journey import earlier_site
from lab.bench.seckill import web_servers
from lab.bench.seckill.case_rounds import Case, Measured, Requirement, Section
from lab.bench.seckill.harness import Bench, describe_round
from lab.bench.seckill.request_generator import RequestPlan
from lab.bench.seckill.sale_site import SaleSite
from lab.bench.seckill.web_servers import WSGI, Server
from tests.crowd import people
from tests.crowd.request_templates import Crowd

#: How much less processor time the journey takes than it took.
MIN_TIMES_CHEAPER = 30
#: Connections of those who wait for Django: its threads are busy, and a round has many answers.
FEW_CONNECTIONS = 16
#: People of the site as it was: more than can buy in a round.
FEW_PEOPLE = 2_000


def measure_journey(bench: Bench) -> Section:
    """Measure the journey through this site, through its Django alone, and through the site as it was."""
    alone = bench.enter_context(web_servers.run_granian(bench.ground.site, "config.wsgi:application", WSGI))
    measured = bench.measure(
        _journey(bench, "document, personal part, claim, order", bench.web, people.journey()),
        _before(bench, "document and form, Django alone", bench.ground, alone),
        *_earlier(bench),
        rounds=bench.sizes.few_rounds,
    )
    ours, before = measured[0], measured[-1]
    about = (
        f"{describe_round(bench.sizes)}. Figures are those of a whole journey of one person by browser, "
        "logged in: the sale's document, one's own part, the claim by JavaScript, and one's own part again, "
        "which names the order. As it was, Django made the page for each person, and the form's answer was a "
        "redirect; the look at the order then is left out, in its favour. Compared with "
        f"{before.case.name.partition(', ')[2]}."
    )
    return bench.section("The journey: all of it", measured, about, times_cheaper(ours, before))


def times_cheaper(ours: Measured, before: Measured) -> Requirement:
    """Require that the journey takes so many times less of the server's processor time."""
    ratio = before.web / ours.web
    got = f"1/{ratio:.0f} ({ours.web:,.0f} µs instead of {before.web:,.0f} µs)"
    what = f"the server's processor time, against {before.case.name}"
    return Requirement(what, f"at most 1/{MIN_TIMES_CHEAPER}", got, ratio >= MIN_TIMES_CHEAPER)


def _journey(bench: Bench, name: str, server: Server, crowd: Crowd) -> Case:
    case = bench.in_stock(name, server, crowd=crowd)
    return replace(case, steps=len(crowd[0]), also="200")


def _before(bench: Bench, name: str, ground: SaleSite, server: Server) -> Case:
    """Build a case of few connections; each page is followed by its person's form."""
    crowd = people.journey_before()

    def aim() -> RequestPlan:
        sales = ground.fresh(bench.sizes.seconds)
        aimed = ground.aim(server, sales, bench.sizes.seconds, FEW_CONNECTIONS, crowd=crowd)
        return replace(aimed, wave=1)

    return Case(name, bench.meter(server), aim, steps=len(crowd[0]), also="200")


def _earlier(bench: Bench) -> list[Case]:
    """Return the case of the earlier site, if this clone has its commit."""
    if not earlier_site.is_there():
        bench.say(f"commit {earlier_site.COMMIT} isn't in this clone: compared with Django alone")
        return []
    bench.say(f"the site as it was: commit {earlier_site.COMMIT}")
    ground = bench.enter_context(earlier_site.run_earlier_site(FEW_PEOPLE, bench.sizes.shops))
    server = bench.enter_context(web_servers.run_savor(ground.site))
    return [_before(bench, f"document and form, commit {earlier_site.COMMIT}", ground, server)]
