"""Fuzzed requests are odd in what they ask, and HTTP all the same: the parser alone would refuse the rest."""

from random import Random

import pytest

from lab.campaign.fuzzing import fuzz

TARGETS = fuzz.Targets(
    "127.0.0.1:8000",
    [("GET", "/api/shops/{shop_id}"), ("POST", "/api/orders/{order_id}/pay")],
    ["/", "/shops/3/?sort=near"],
    ["/admin/coupons/voucher/1/change/"],
    ["a-token"],
    "sessionid=1",
    ["title", "lat"],
)


@pytest.mark.parametrize("area", ["API", "pages", "admin"])
def test_every_odd_request_is_a_request(area: str) -> None:
    chance = Random(3)
    asked = [fuzz.AREAS[area](TARGETS, chance) for _ in range(3_000)]
    for request in asked:
        head, ends, body = request.partition(b"\r\n\r\n")
        first, *headers = head.split(b"\r\n")
        method, path, version = first.split(b" ")
        assert (ends, version) == (b"\r\n\r\n", b"HTTP/1.1")
        assert method.isalpha()
        assert path.startswith(b"/")
        assert f"Content-Length: {len(body)}".encode() in headers
        assert b"\n" not in head.replace(b"\r\n", b"")
    assert len(set(asked)) > 1_000


def test_raw_bytes_are_often_none() -> None:
    chance = Random(3)
    asked = [fuzz.AREAS["raw bytes"](TARGETS, chance) for _ in range(500)]
    assert sum(b" HTTP/1.1\r\n" not in request for request in asked) > 100
