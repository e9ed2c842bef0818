"""Fields of a head as RFC 9110 and RFC 6265 mean them."""

import pytest
from django.http import parse_cookie
from hypothesis import example, given
from hypothesis import strategies as st

from apps.front import head_fields
from apps.front.head_fields import find_cookie, read_fields

NAME = "savor_token"
_parts = st.sampled_from(
    [NAME, f"x{NAME}", f"{NAME}x", "=", ";", "; ", '"', " ", "\t", "a", "T.5", "\\054", ",", "é", "%"]
)


@given(field=st.lists(_parts, max_size=12).map("".join))
@example(field=f'{NAME}="T"')
@example(field=f"{NAME}=a; {NAME}=b")
@example(field=f"a={NAME}=T")
@example(field=f"{NAME} = T ;")
def test_a_cookie_is_the_one_that_django_reads(field: str) -> None:
    found = find_cookie(field.encode(), NAME.encode())
    assert found == parse_cookie(field).get(NAME, "")


@pytest.mark.parametrize(
    ("lines", "name", "value"),
    [
        ([(b"cookie", b"a=b"), (b"host", b"x"), (b"cookie", b"c=d")], b"cookie", b"a=b; c=d"),
        ([(b"accept", b"a"), (b"accept", b""), (b"accept", b"b, c")], b"accept", b"a, , b, c"),
        (
            [(b"accept-language", b"zh"), (b"accept-language", b"en;q=0.5")],
            b"accept-language",
            b"zh, en;q=0.5",
        ),
        ([(b"accept-language", b" ,, zh-CN ,\t, en,")], b"accept-language", b"zh-CN , en"),
        ([(b"accept-language", b",")], b"accept-language", b""),
        ([(b"accept-language", b"," * 300 + b"zh")], b"accept-language", b"zh"),
        ([(b"authorization", b"bearer   T")], b"authorization", b"bearer T"),
        ([(b"authorization", b"Basic a  b")], b"authorization", b"Basic a  b"),
    ],
)
def test_a_field_is_read_whole(lines: list[tuple[bytes, bytes]], name: bytes, value: bytes) -> None:
    assert read_fields(lines)[name] == value
    assert read_fields(list(read_fields(lines).items()))[name] == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"100-continue", True),
        (b"100-Continue", True),
        (b'x="y, 100-continue", \t100-CONTINUE', True),
        (b"", False),
        (b"200-ok", False),
        (b"100-continued", False),
    ],
)
def test_an_expectation_is_one_of_a_list(value: bytes, expected: bool) -> None:
    assert head_fields.expects_continue(value) is expected
