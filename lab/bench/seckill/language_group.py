"""Measures claims beside the same sale in Go, Node and FastAPI, and what each promise of ours costs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lab.bench import reports
from lab.bench.seckill import (
    case_rounds,
    left_out_names,
    other_languages,
    persistence_group,
    web_servers,
)
from lab.bench.seckill.baselines import sale as baseline_sale
from lab.bench.seckill.case_rounds import Case, Measured, Section
from lab.bench.seckill.harness import Bench, describe_round
from lab.bench.seckill.web_servers import Server
from tests.crowd import people
from tests.sites import wait_until

#: Most processor time of a claim of ours against another language's.
MAX_RATIO = {"Node": 1.0, "Go": 1.6}
#: Least claims a second of ours against another language's, each with its consumer beside it.
MIN_RECORDED = {"Node": 1.0, "Go": 0.8}
LANGUAGES: dict[str, Callable[..., list[str]]] = {
    "Node": other_languages.build_node,
    "Go": other_languages.build_go,
}
ABOUT_OTHER = {"Node": "Node: fastify, ioredis", "Go": "Go: net/http, redigo"}
RECORDED_HEAD = (
    "case", "requests/s", "against ours", "p99 ms", "web µs", "Redis µs", "consumer µs", "other answers",
)  # fmt: skip
HEAD = ("case", "web µs", "Redis µs", "together", "against JSON", "requests/s", "p99 ms", "other answers")


def measure_languages(bench: Bench) -> Section:
    """Measure JSON and browsers' claims of ours beside Node's, Go's and FastAPI's, in turn."""
    others = {name: server for name in LANGUAGES if (server := _start(bench, name))}
    cases = [
        bench.in_stock("ours, JSON", bench.web, crowd=people.claims_json()),
        bench.in_stock("ours, browsers", bench.web, crowd=people.claims_browser()),
        *(_two_trips(bench, ABOUT_OTHER[name], server) for name, server in others.items()),
        _two_trips(bench, "FastAPI: uvicorn, redis-py", _start_fastapi(bench)),
    ]
    json, browsers, *rest = measured = bench.measure(*cases)
    bars = [
        case_rounds.at_most(
            f"processor time of a claim, {ours.case.name}, of {name}'s",
            _together(ours) / _together(theirs),
            MAX_RATIO[name],
        )
        for name, theirs in zip(others, rest, strict=False)
        for ours in (json, browsers)
    ]
    about = (
        f"64 connections; {describe_round(bench.sizes)}. In stock, the consumer paused. The others answer "
        "the bearer's JSON claim in two round trips, as one would write it: the token, then a script that "
        "knows the window, one a person and the stock. They have no limits, no repetitions, no receipts, no "
        "languages, no refusal of other origins and no log, and their answers are the same. One process of "
        "each; Go's takes both cores."
    )
    return _section("The flash sale beside Go, Node and FastAPI", measured, about, bars)


def measure_recorded(bench: Bench) -> Section:
    """Measure JSON claims of ours and the others' while a consumer of each writes the rows."""
    others = {name: server for name in LANGUAGES if (server := _start(bench, name))}
    site = bench.ground.site
    with web_servers.run_consumer(site) as consumer, web_servers.run_baseline_consumer(site) as theirs:
        ours = bench.in_stock("ours, JSON", bench.web, crowd=people.claims_json())
        cases = [
            _recorded(ours, consumer, partial(persistence_group.drain, bench)),
            *(
                _recorded(_two_trips(bench, ABOUT_OTHER[name], server), theirs, partial(_drain_others, bench))
                for name, server in others.items()
            ),
        ]
        first, *rest = measured = bench.measure(*cases)
    bars = [
        case_rounds.at_least(f"claims a second, against {name}'s", first.against(their), MIN_RECORDED[name])
        for name, their in zip(others, rest, strict=True)
    ]
    about = (
        f"64 connections; {describe_round(bench.sizes)}. As beside Go and Node, and orders become rows of "
        "SQLite: ours by the site's consumer, theirs by a loop that writes the same row with the same "
        "indexes, a thousand a transaction. What a consumer does after the round's last claim counts."
    )
    table = reports.markdown_table(RECORDED_HEAD, [_recorded_row(one, first) for one in measured])
    return Section(
        "The flash sale beside Go and Node, recorded", about, table, [*bars, case_rounds.documented(measured)]
    )


def measure_promises(bench: Bench) -> Section:
    """Measure JSON claims without each of the promises, and without all of them."""
    left_out = [(name,) for name in left_out_names.PROMISES] + [left_out_names.PROMISES]
    cases = [
        bench.in_stock("all promises", bench.web, crowd=people.claims_json()),
        *(_without(bench, promises) for promises in left_out),
    ]
    measured = bench.measure(*cases)
    about = (
        f"JSON claims in stock, 64 connections; {describe_round(bench.sizes)}. Each row is the same server "
        "with one promise taken out by the bench: receipt (the signatures of claim and receipt, and the "
        "claims kept in memory), limits (attempts of a person), replay (a repeated request gets its first "
        "answer), window (begins and ends). The difference is what the promise costs; differences of a few "
        "hundredths are noise."
    )
    return _section("The flash sale without its promises", measured, about, [])


def _start(bench: Bench, name: str) -> Server | None:
    """The sale in another language, or None, which the bench then says."""
    try:
        bench.say(f"building {name}")
        command = LANGUAGES[name](bench.ground.site.directory)
    except other_languages.Missing as why:
        bench.say(str(why))
        return None
    return bench.enter_context(web_servers.run_other(bench.ground.site, command))


def _start_fastapi(bench: Bench) -> Server:
    return bench.enter_context(web_servers.run_baseline(bench.ground.site, "two_trips"))


def _two_trips(bench: Bench, name: str, server: Server) -> Case:
    prepare = partial(baseline_sale.open_sales, bench.node, stock=bench.ground.people)
    return bench.in_stock(name, server, crowd=people.claims_json(), prepare=prepare)


def _recorded(case: Case, consumer: int, drain: Callable[[], object]) -> Case:
    """The same case with its consumer's work; orders that are rows aren't forgotten."""
    return replace(case, meter=replace(case.meter, consumer=consumer), settle=drain, after=lambda aim: None)


def _drain_others(bench: Bench) -> None:
    wait_until(
        lambda: not bench.node.xlen(baseline_sale.ORDERS),
        seconds=persistence_group.DRAIN_SECONDS,
        otherwise="the others' orders wait",
    )


def _recorded_row(one: Measured, first: Measured) -> list[str]:
    name, rate, _, p99, web, in_redis, _, others = one.row()
    return [name, rate, f"{one.against(first):.2f}", p99, web, in_redis, f"{one.consumer:.1f}", others]


def _without(bench: Bench, promises: tuple[str, ...]) -> Case:
    server = bench.enter_context(web_servers.run_savor_without(bench.ground.site, *promises))
    name = "without all of these" if len(promises) > 1 else f"without {promises[0]}"
    return bench.in_stock(name, server, crowd=people.claims_json())


def _section(
    title: str, measured: list[Measured], about: str, bars: list[case_rounds.Requirement]
) -> Section:
    first = _together(measured[0])
    table = reports.markdown_table(HEAD, [_row(one, first) for one in measured])
    others = f"Neighbours had {case_rounds.other_cores(measured)} cores meanwhile."
    return Section(title, f"{about} {others}", table, [*bars, case_rounds.documented(measured)])


def _row(one: Measured, first: float) -> list[str]:
    name, rate, _, p99, web, in_redis, _, others = one.row()
    return [name, web, in_redis, f"{_together(one):.1f}", f"{_together(one) / first:.2f}", rate, p99, others]


def _together(one: Measured) -> float:
    """Microseconds of the web process and of Redis for a claim."""
    return one.web + one.redis
