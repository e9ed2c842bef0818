import json
from io import StringIO
from typing import Any

import pytest
import redis
from django.conf import settings
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from apps.redis_kit import schema
from tests.redis_kit import keys


def test_a_declaration_builds_the_key() -> None:
    assert keys.COUNTER(name="visits") == "savor:kittest:{c}:counter:visits"


@pytest.mark.parametrize(
    "part", ["", " ", "a b", "a\n", "{x}", "}", "\x00", "x" * 201, 1.5, True, None, b"bytes", "tab\t"]
)
def test_a_part_that_could_break_a_key_is_refused(part: object) -> None:
    with pytest.raises(ValueError, match="can't be part of a key"):
        keys.COUNTER(name=part)  # type: ignore[arg-type]


def test_many_keys_are_the_keys_one_by_one() -> None:
    names = ["a", "b", "%s", "7"]
    assert keys.COUNTER.build_many("name", names) == [keys.COUNTER(name=name) for name in names]
    with pytest.raises(ValueError, match="can't be part of a key"):
        keys.COUNTER.build_many("name", ["a", "{b}"])
    with pytest.raises(TypeError, match="takes"):
        keys.COUNTER.build_many("nam", ["a"])


@given(st.text(max_size=300))
def test_two_names_never_make_one_key(text: str) -> None:
    try:
        made = keys.COUNTER(name=text)
    except ValueError:
        return
    assert made.removeprefix("savor:kittest:{c}:counter:") == text
    assert schema.match(made) is keys.COUNTER


@pytest.mark.parametrize("parts", [{}, {"nam": 1}, {"name": 1, "more": 2}])
def test_missing_and_surplus_parts_are_mistakes(parts: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="takes"):
        keys.COUNTER(**parts)


def test_a_pattern_is_declared_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        declare("kittest:{c}:counter:<name>", expendable="x")


@pytest.mark.parametrize("fate", [{}, {"expendable": "x", "rebuilt_from": "a:b"}])
def test_a_declaration_says_how_the_key_comes_back(fate: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="either"):
        declare("kittest:undecided", **fate)


def declare(pattern: str, **fate: str) -> schema.Key:
    return schema.key(pattern, type="string", about="", writer="", expiry="", **fate)


def test_an_undeclared_key_matches_nothing() -> None:
    assert schema.match("savor:kittest:unheard:of") is None
    assert schema.match("elsewhere:kittest:{c}:counter:1") is None


def test_the_slot_is_the_tag() -> None:
    assert (keys.COUNTER.slot_tag, keys.QUEUE.slot_tag) == ("c", "")


def test_a_scan_finds_what_was_declared(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(keys.COUNTER(name="a"), 1)
    guarded_redis.xadd(keys.QUEUE(number=1), {"a": 1})
    assert list(guarded_redis.scan_iter(keys.COUNTER.scan_pattern)) == [keys.COUNTER(name="a")]


def test_every_app_s_keys_are_known() -> None:
    patterns = {key.pattern for key in schema.declared()}
    assert {"kit:ids:<noun>", "kit:hits:{<family>}:<name>:<subject>"} <= patterns


@pytest.mark.parametrize("term", ["records", "lengths", "term"])
def test_a_term_that_is_another_key_s_name_stays_a_term(term: str) -> None:
    raw = f"{settings.REDIS_PREFIX}:search:{{notes}}:3:term:{term}"
    found = schema.match(raw)
    assert found
    assert found.pattern == "search:{<kind>}:<generation>:term:<term>"


def output(*args: str, **options: Any) -> str:
    written = StringIO()
    call_command(*args, stdout=written, **options)
    return written.getvalue()


def test_the_schema_is_a_table() -> None:
    table = output("redis_schema")
    assert "kit:hits:{<family>}:<name>:<subject>" in table
    assert "zset" in table
    assert ":lock:" in table


def test_the_schema_is_json_for_programs() -> None:
    facts = {key["pattern"]: key for key in json.loads(output("redis_schema", "--json"))}
    limit = facts["kit:hits:{<family>}:<name>:<subject>"]
    assert (limit["type"], limit["slot"], limit["app"]) == ("string", "<family>", "kit")
    assert limit["expendable"]


def test_the_schema_is_markdown_for_the_documentation() -> None:
    lines = output("redis_schema", "--markdown").splitlines()
    assert {line.count("|") for line in lines} == {7}
    assert len(lines) == 2 + len(schema.declared())
