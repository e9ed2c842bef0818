"""Checks the endpoint's answer to each kind of request over HTTP, wherever its data is stored."""

from collections.abc import Iterator

from lab.bench.seckill.sale_site import Reply, SaleSite
from lab.bench.seckill.web_servers import Server

HOUR = 3_600
#: Attempts of one person in ten seconds, by lab/README.md.
MAX_TRIES = 100
EXPECTED_ANSWERS = {
    "a unit": "201",
    "the same request again": "201, the same order",
    "another request of the same person": "409 already_bought, the same order",
    "without a token": "401 not_logged_in",
    "with a token that nobody has": "401 not_logged_in",
    "a voucher that isn't there": "404 not_found",
    "an idempotency key that is none": "400 invalid",
    "before the beginning": "409 not_started",
    "after the last unit": "409 sold_out",
    "more often than a person can": "429 too_many_requests",
}


def find_violations(ground: SaleSite, server: Server) -> list[str]:
    """Return a sentence for every case whose answer differs from EXPECTED_ANSWERS."""
    return [
        f"{case}: {answer} instead of {EXPECTED_ANSWERS[case]}"
        for case, answer in _answers(ground, server)
        if answer != EXPECTED_ANSWERS[case]
    ]


def _answers(ground: SaleSite, server: Server) -> Iterator[tuple[str, str]]:
    sale, later = ground.sales(1, stock=1)[0], ground.sales(1, begins_in=HOUR)[0]
    alice, bob, charlie = ground.spare[:3]
    first = ground.ask(server, sale, token=alice, key="first")
    order = first.body.get("order_id")
    yield "a unit", _describe_reply(first)
    yield "the same request again", _describe_reply(ground.ask(server, sale, token=alice, key="first"), order)
    yield (
        "another request of the same person",
        _describe_reply(ground.ask(server, sale, token=alice, key="second"), order),
    )
    yield "without a token", _describe_reply(ground.ask(server, sale))
    yield "with a token that nobody has", _describe_reply(ground.ask(server, sale, token="n" * 43))
    yield "a voucher that isn't there", _describe_reply(ground.ask(server, 999_999_999, token=alice))
    yield (
        "an idempotency key that is none",
        _describe_reply(ground.ask(server, sale, token=alice, key="no, sir")),
    )
    yield "before the beginning", _describe_reply(ground.ask(server, later, token=alice))
    yield "after the last unit", _describe_reply(ground.ask(server, sale, token=bob))
    yield "more often than a person can", _after_many(ground, server, sale, charlie)


def _after_many(ground: SaleSite, server: Server, sale: int, token: str) -> str:
    """Claim until a 429 comes or far more often than allowed; describe the last reply."""
    for number in range(5 * MAX_TRIES):
        said = ground.ask(server, sale, token=token)
        if said.status == 429:
            return _describe_reply(said) if number >= MAX_TRIES else f"429 after {number} attempts"
    return _describe_reply(said)


def _describe_reply(said: Reply, order: object = None) -> str:
    """Return status and code; with `order` also whether the reply names that order."""
    code = "" if said.status == 201 else f" {said.body.get('code')}"
    same = ", the same order" if order and said.body.get("order_id") == order else ""
    return f"{said.status}{code}{same}"
