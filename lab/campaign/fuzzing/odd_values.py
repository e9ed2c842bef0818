"""Odd texts, bodies and bytes for fuzzing."""

import json
import math
from collections.abc import Sequence
from random import Random
from typing import Any
from urllib.parse import urlencode

IDS = ("1", "2", "3", "5", "8", "13", "0", "-1", "007", "1e3", "１２", "²", "9223372036854775807")
TEXTS = (
    *("", " ", "x", "tea", "茶馆", "\0", "a\0b", "\ud7ff", "﷐", "😀" * 40, "<script>alert(1)</script>"),
    *("' OR 1=1 --", "%", "%00", "%zz", "../../etc/passwd", "//elsewhere.example", "javascript:1"),
    *(
        "null",
        "true",
        "[]",
        "{}",
        "NaN",
        "Infinity",
        "-0",
        "1.5",
        "1e999",
        "9223372036854775808",
        "-9223372036854775809",
    ),
    *("18446744073709551616", "9" * 400, "2026-02-30", "2026-11-24T99:00:00Z", "0001-01-01", "9999-12-31"),
    *(
        "a" * 3_000,
        "\r\nSet-Cookie: a=b",
        "‮abc",
        "é" * 500,
        ",",
        "a,b",
        "1,2",
        "zh-hans",
        "en",
        "-id",
        "__all__",
    ),
)
BODY_KINDS = (
    *("application/json", "application/json", "application/json; charset=utf-16", "text/plain", "", "a/b; c"),
    *("multipart/form-data", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"),
)


def odd_text(chance: Random, *, ids: bool = False) -> str:
    """A text that some code may not expect; mostly a number of something where `ids`."""
    if ids and chance.random() < 0.7:
        return chance.choice(IDS)
    if chance.random() < 0.2:
        return "".join(
            chr(chance.choice([*range(1, 256), 0x4E2D, 0x1F600])) for _ in range(chance.randint(1, 30))
        )
    return chance.choice(TEXTS)


def odd_value(chance: Random, depth: int = 0) -> Any:
    """A value of JSON, or what Python takes for one."""
    if depth < 3 and chance.random() < 0.25:
        many = range(chance.randint(0, 3))
        return [odd_value(chance, depth + 1) for _ in many]
    plain: list[Any] = [
        None,
        True,
        False,
        0,
        -1,
        1,
        2**63,
        -(2**63) - 1,
        10**400,
        0.1,
        math.nan,
        math.inf,
        {},
        [],
    ]
    return chance.choice([*plain, odd_text(chance), odd_text(chance, ids=True)])


def odd_body(chance: Random, names: Sequence[str], *, form: bool = False) -> tuple[bytes, str]:
    """A body with some of these members, and the type that it claims to be."""
    members = {chance.choice(names): odd_value(chance) for _ in range(chance.randint(0, 6))}
    turn = chance.random()
    if form and turn < 0.8:
        return urlencode({name: str(value) for name, value in members.items()}).encode(), BODY_KINDS[-1]
    if turn < 0.85:
        return json.dumps(members).encode(), BODY_KINDS[0]
    if turn < 0.95:
        text = json.dumps(chance.choice([members, [members], odd_value(chance)])).encode()
        return text[: chance.randint(0, len(text))], chance.choice(BODY_KINDS)
    return chance.choice([chance.randbytes(200), b"[" * 5_000, b'{"a":' * 3_000]), chance.choice(BODY_KINDS)


def odd_bytes(chance: Random, request: bytes) -> bytes:
    """A request with a few bytes changed, cut, doubled or put in; or no request at all."""
    turn, at = chance.random(), chance.randrange(len(request))
    if turn < 0.1:
        return chance.randbytes(chance.randint(1, 2_000))
    if turn < 0.3:
        return request[:at]
    if turn < 0.5:
        return request[:at] + chance.randbytes(chance.randint(1, 8)) + request[at:]
    if turn < 0.6:
        return request.replace(b"Content-Length", b"Transfer-Encoding: chunked\r\nContent-Length", 1)
    if turn < 0.7:
        return request.replace(
            b"\r\n", chance.choice([b"\n", b"\r", b"\r\n ", b"\0\r\n"]), chance.randint(1, 4)
        )
    if turn < 0.8:
        head, _, body = request.partition(b"\r\n\r\n")
        return head + b"\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n" + body
    if turn < 0.9:
        return request.replace(b"HTTP/1.1", chance.choice([b"HTTP/1.0", b"HTTP/9.9", b"", b"HTTP/1.1 x"]), 1)
    return request * 2
