import json
from io import StringIO
from typing import Any

from django.core.management import call_command

from apps.redis_kit import schema


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
