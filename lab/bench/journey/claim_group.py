"""Measures claims in every shape against the bare bearer's, hello world and FastAPI."""

from collections.abc import Sequence
from functools import partial
from statistics import median

from lab.bench.seckill import case_rounds, stock_group, web_servers
from lab.bench.seckill.baselines import sale as baseline_sale
from lab.bench.seckill.case_rounds import Case, Measured, Requirement, Section
from lab.bench.seckill.harness import JUST_NOW, Bench, describe_round
from tests.crowd import people

SHAPES = {
    "JSON": people.claims_json,
    "app": people.claims_app,
    "script": people.claims_script,
    "browser": people.claims_browser,
    "form": people.claims_form,
    "mixed": people.claims_mixed,
}
#: Against the bare bearer, of the bare bearer against hello world, and of each against FastAPI.
MIN_SHAPE_RATIO, MIN_BEARER_RATIO, MIN_FASTAPI_RATIO = 0.85, 0.47, 10


def measure_claims(bench: Bench) -> Section:
    """Measure claims in stock, with the consumer paused."""
    hello, fastapi, bearer, *shapes, due, fresh, _ = measured = bench.measure(
        bench.bare(bench.hello),
        _fastapi(bench),
        bench.in_stock("claim, bare bearer", bench.web, crowd=people.BARE_BEARER),
        *(bench.in_stock(f"claim, {name}", bench.web, crowd=make()) for name, make in SHAPES.items()),
        *stock_group.crowds_by_last_use(bench, "claim, of a crowd"),
    )
    bars = [
        case_rounds.faster("bare bearer against hello world", bearer, hello, MIN_BEARER_RATIO),
        *(
            case_rounds.faster(f"{one.case.name}, against bare bearer", one, bearer, MIN_SHAPE_RATIO)
            for one in shapes
        ),
        *(
            case_rounds.faster(f"{one.case.name}, against FastAPI", one, fastapi, MIN_FASTAPI_RATIO)
            for one in (bearer, *shapes)
        ),
        *stock_group.due_against_fresh(due, fresh),
        generator(measured),
    ]
    about = (
        f"64 connections; {describe_round(bench.sizes)}. In stock, the consumer paused, one process of each. "
        "Bare bearer is a bearer header and a key and nothing else; hello world and FastAPI, with 3 round "
        "trips, get it too. JSON adds a body; apps, scripts and browsers (five of them, with the session's "
        "cookie, Origin and Sec-Fetch-Site) come with their own headers, languages, cookies and ids; form is "
        "the page without JavaScript, answered by a redirect to the order; mixed is all of them, one in "
        f"fifty not kept alive. {stock_group.ABOUT_LAST_USE} "
        "The aim for the bare bearer is 0.5 × hello world."
    )
    return bench.section("The journey: claims in every shape", measured, about, *bars)


def generator(measured: Sequence[Measured]) -> Requirement:
    """Require that the generator is cheaper than each server: it isn't what is measured."""
    shares = [one.generator / max(one.web, 0.1) for one in measured]
    worst = max(shares)
    who = measured[shares.index(worst)].case.name
    got = f"{worst:.2f} × the server of {who}; median {median(shares):.2f} ×"
    return Requirement(
        "the generator's processor time against the server's", "below 0.75 ×", got, worst < 0.75
    )


def _fastapi(bench: Bench) -> Case:
    server = bench.enter_context(web_servers.run_baseline(bench.ground.site, "three_trips"))
    prepare = partial(baseline_sale.open_sales, bench.node, stock=bench.ground.people)
    return bench.in_stock(
        "FastAPI, 3 round trips", server, crowd=people.BARE_BEARER, prepare=prepare, before=JUST_NOW
    )
