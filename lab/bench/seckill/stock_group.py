"""Measures claims in stock and refused ones against simpler servers and against hello world."""

from functools import partial
from statistics import median

from lab.bench.seckill import case_rounds, web_servers
from lab.bench.seckill.baselines import sale as baseline_sale
from lab.bench.seckill.case_rounds import Case, Measured, Requirement, Section
from lab.bench.seckill.harness import FORGOTTEN, HELLO_WSGI, JUST_NOW, Bench, describe_round
from lab.bench.seckill.web_servers import ASGI, WSGI, Server
from tests.crowd import people

BASELINES = {"FastAPI, 3 round trips": "three_trips", "FastAPI, 1 round trip": "one_trip"}
#: The most that a log-in which is due may cost, against one that was just used.
MAX_DUE = 1.15
ABOUT_LAST_USE = (
    "Everybody was here yesterday, so each one's log-in is due to be renewed in SQL, and what that takes "
    "after the answers is counted; who was here just now is said to be."
)
ONE_CALL = "lab.bench.seckill.baselines.one_call:app"


def measure_in_stock(bench: Bench) -> Section:
    """Measure claims that all get a unit, with the consumer paused."""
    site = bench.ground.site
    bare = bench.enter_context(web_servers.run_granian(site, HELLO_WSGI, WSGI))
    least = bench.enter_context(web_servers.run_granian(site, ONE_CALL, ASGI, REDIS_URL=site.redis_url))
    three, one, call, asgi, wsgi, ours, honest, fresh, forgotten = bench.measure(
        *(_baseline(bench, name) for name in BASELINES),
        _laid_out(bench, "bare ASGI, shared script calls", least),
        bench.bare(bench.hello),
        bench.bare(bare, "granian hello world, WSGI"),
        bench.in_stock("this site, bare bearer", bench.web, crowd=people.BARE_BEARER),
        *crowds_by_last_use(bench, "this site, honest crowd"),
    )
    bars = [
        case_rounds.faster("honest crowd against FastAPI with 3 round trips", honest, three, 10),
        case_rounds.faster("in stock against FastAPI with 3 round trips", ours, three, 10),
        case_rounds.faster("in stock against FastAPI with 1 round trip", ours, one, 6),
        case_rounds.faster("in stock against hello world (ASGI)", ours, asgi, 0.6),
        *due_against_fresh(honest, fresh),
        case_rounds.within("in stock, p99 at 64 connections", ours.p99, 15),
        _generator(wsgi, ours),
    ]
    about = (
        f"64 connections; {describe_round(bench.sizes)}. One process of each, the consumer paused. "
        "Every request is a person's first in its sale. FastAPI runs under uvicorn with uvloop and httptools "
        "and checks token, window, one per person and stock; this site also limits attempts and honours "
        "Idempotency-Keys. All but the honest crowd are asked with a bearer header and nothing else; that is "
        f"apps, browsers and scripts (tests/crowd). {ABOUT_LAST_USE} "
        "Bare ASGI is a callable under granian that "
        "checks the same four and lets those who come while a script call is under way share the next one; "
        f"it reaches {call.against(asgi):.2f} × hello world (ASGI), and this site {ours.against(call):.2f} × "
        "of it."
    )
    return bench.section(
        "The flash sale in stock, against what one would write instead",
        [three, one, call, asgi, wsgi, ours, honest, fresh, forgotten],
        about,
        *bars,
    )


def crowds_by_last_use(bench: Bench, name: str) -> list[Case]:
    """Cases of a crowd that was here yesterday, of one that was just now, and of one that Redis forgot."""
    return [
        bench.in_stock(name, bench.web),
        bench.in_stock(f"{name} that was here just now", bench.web, before=JUST_NOW),
        bench.in_stock(f"{name} whose copies are gone", bench.web, before=FORGOTTEN),
    ]


def due_against_fresh(due: Measured, fresh: Measured) -> list[Requirement]:
    """Require that who comes for the first time in a day costs hardly more than who was here just now."""
    slower = 1 / max(due.against(fresh), 0.01)
    return [
        case_rounds.at_most("who was here yesterday against just now, time a claim", slower, MAX_DUE),
        case_rounds.at_most("the same, processor time of the web process", due.web / fresh.web, MAX_DUE),
    ]


def measure_refused(bench: Bench) -> Section:
    """Measure claims that are refused: sold out, or already bought."""
    ground = bench.ground
    sold_out, bought = ground.sales(1, stock=1)[0], ground.fresh(1)[0]
    assert ground.ask(bench.web, sold_out, token=ground.spare[0]).status == 201
    bench.say("everybody buys a unit")
    ground.everybody_buys(bench.web, bought)
    asgi, none, twice = bench.measure(
        bench.bare(bench.hello),
        _case(bench, "this site, sold out", sold_out, "409 sold_out"),
        _case(bench, "this site, bought already", bought, "409 already_bought"),
        rounds=bench.sizes.few_rounds,
    )
    bars = [
        case_rounds.faster("sold out against hello world", none, asgi, 0.6),
        case_rounds.faster("bought already against hello world", twice, asgi, 0.6),
    ]
    about = f"64 connections; {describe_round(bench.sizes)}."
    return bench.section("The flash sale, refusals", [asgi, none, twice], about, *bars)


def _baseline(bench: Bench, name: str) -> Case:
    server = bench.enter_context(web_servers.run_baseline(bench.ground.site, BASELINES[name]))
    return _laid_out(bench, name, server)


def _laid_out(bench: Bench, name: str, server: Server) -> Case:
    """Build an in-stock case whose sales are also set up for a baseline."""
    prepare = partial(baseline_sale.open_sales, bench.node, stock=bench.ground.people)
    return bench.in_stock(name, server, crowd=people.BARE_BEARER, prepare=prepare, before=JUST_NOW)


def _case(bench: Bench, name: str, voucher_id: int, wanted: str) -> Case:
    crowd = people.claims_mixed(forms=False)

    aim = partial(bench.ground.aim, bench.web, [voucher_id], bench.sizes.seconds, crowd=crowd)
    return Case(name, bench.meter(bench.web), aim, wanted)


def _generator(wsgi: Measured, ours: Measured) -> Requirement:
    """Require that the generator isn't the bottleneck: its share of a core, and what it reaches."""
    share = median(shot.work / shot.seconds for shot in ours.shots)
    got = f"{share:.2f} of a core; {wsgi.against(ours):.1f} × as many answers of hello world (WSGI)"
    return Requirement("the generator is not what is measured", "under 0.75 of its core", got, share < 0.75)
