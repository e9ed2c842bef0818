"""Each member of the API's bodies says what it is, and its unit, unless its name does."""

from typing import Any

from config.api_members import MEMBERS
from tests.api_document import read_document

SCHEMAS: dict[str, Any] = read_document()["components"]["schemas"]
#: Names that say what they are.
PLAIN = {"id", "items", "name", "nickname", "text", "title", "url", "field", "message"}
#: Ends of names of amounts -> what their descriptions name.
UNITS = {
    "_at": ("UTC", "null", "until", "when", "from then on", "to pay"),
    "_m": ("metres",),
    "_days": ("days",),
    "_in": ("seconds", "whether"),
    "_ms": ("milliseconds", "since 1970"),
    "price": ("smallest unit", "minor units", "points"),
    "lat": ("degrees",),
    "lng": ("degrees",),
    "width": ("pixels",),
    "height": ("pixels",),
}


def members() -> list[tuple[str, str, str]]:
    """Schema, member and its description."""
    return [
        (schema, name, member.get("description", ""))
        for schema, found in SCHEMAS.items()
        for name, member in found.get("properties", {}).items()
    ]


def test_each_member_says_what_it_is() -> None:
    silent = [f"{schema}.{name}" for schema, name, about in members() if not about and name not in PLAIN]
    assert silent == [], "describe it in its schema, or in config/api_members.py"


def test_each_amount_names_its_unit() -> None:
    without = [
        f"{schema}.{name}: {about}"
        for schema, name, about in members()
        for end, units in UNITS.items()
        if name.endswith(end) and not any(unit in about for unit in units)
    ]
    assert without == []


def test_no_description_is_left_of_a_member_that_is_gone() -> None:
    used = {f"{schema}.{name}" for schema, name, _about in members()} | {
        name for _schema, name, _ in members()
    }
    assert MEMBERS.keys() - used == set()
    assert PLAIN - used - {"field", "message"} == set()
