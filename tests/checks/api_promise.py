"""Compares the API with what the last release promised: its document without texts, `docs/api/v1.json`.

`make api-promise` writes that file: with a release, and never to silence the test.
What a program sends may become more, what it reads may become more exact; anything else breaks one.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import django
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.module_loading import import_string

RELEASED = Path(__file__).resolve().parents[2] / "docs/api/v1.json"
Json = dict[str, Any]
#: What programs rely on; the rest are words for people.
_TEXTS = {"description", "summary", "title", "example", "examples", "info", "servers", "tags"}
_NAMED = {"properties", "schemas", "responses", "paths"}
#: A bound that may only go down in what a program sends, and up, by its word.
_UPPER, _LOWER = (
    ("maximum", "maxLength", "maxItems"),
    ("minimum", "minLength", "minItems", "exclusiveMinimum"),
)


class Place(NamedTuple):
    """Where in both documents one is; `is_sent` by a program, or else read by it."""

    old: Json
    new: Json
    words: str
    is_sent: bool

    def at(self, words: str, *, is_sent: bool | None = None) -> "Place":
        sent = self.is_sent if is_sent is None else is_sent
        return self._replace(words=f"{self.words} {words}", is_sent=sent)


def find_breaks(old: Json, new: Json) -> list[str]:
    """A sentence for each change that breaks a program of the old document."""
    return list(_compare_paths(Place(old, new, "", is_sent=True)))


def read_promise(document: Json) -> Json:
    """A document as it is kept: what programs rely on, without texts."""
    kept: Json = _without_texts(json.loads(json.dumps(document, cls=DjangoJSONEncoder)))
    for operation in (each for methods in kept["paths"].values() for each in methods.values()):
        operation["responses"] = {
            status: answer for status, answer in operation["responses"].items() if status.startswith("2")
        }
    # Codes of refusals are an open list.
    kept["components"].pop("responses")
    return kept


def _without_texts(part: Any, *, are_names: bool = False) -> Any:
    if isinstance(part, list):
        return [_without_texts(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _without_texts(inner, are_names=name in _NAMED and not are_names)
        for name, inner in part.items()
        if are_names or name not in _TEXTS
    }


def _compare_paths(place: Place) -> Iterator[str]:
    for path, methods in place.old["paths"].items():
        for method, operation in methods.items():
            here = place._replace(words=f"{method.upper()} {path}")
            found = place.new["paths"].get(path, {}).get(method)
            if found is None:
                yield f"{here.words} is gone"
            else:
                yield from _compare_operations(here, operation, found)


def _compare_operations(place: Place, old: Json, new: Json) -> Iterator[str]:
    if old["operationId"] != new["operationId"]:
        yield f"{place.words} is called {new['operationId']}, no longer {old['operationId']}"
    if any(one not in new["security"] for one in old["security"]) or (
        new["security"] and not old["security"]
    ):
        yield f"{place.words} takes other log-ins"
    yield from _compare_parameters(place, old.get("parameters", []), new.get("parameters", []))
    yield from _compare_bodies(place, old.get("requestBody"), new.get("requestBody"))
    for status in (one for one in old["responses"] if one.startswith("2")):
        answer = new["responses"].get(status)
        if answer is None:
            yield f"{place.words} answers {status} no longer"
        else:
            here = place.at(status, is_sent=False)
            yield from _compare_contents(here, old["responses"][status], answer)


def _compare_parameters(place: Place, old: list[Json], new: list[Json]) -> Iterator[str]:
    before, after = ({(one["in"], one["name"]): one for one in each} for each in (old, new))
    for key, parameter in after.items():
        was = before.get(key, {})
        if parameter.get("required") and not was.get("required"):
            yield f"{place.words} needs the parameter {key[1]}"
    for key, parameter in before.items():
        here = place.at(f"parameter {key[1]}")
        if key not in after:
            yield f"{here.words} is gone"
        else:
            yield from _compare_schemas(here, parameter["schema"], after[key]["schema"])


def _compare_bodies(place: Place, old: Json | None, new: Json | None) -> Iterator[str]:
    if new and new.get("required") and not (old or {}).get("required"):
        yield f"{place.words} needs a body"
    if old and not new:
        yield f"{place.words} takes no body any more"
    elif old and new:
        yield from _compare_contents(place.at("body"), old, new)


def _compare_contents(place: Place, old: Json, new: Json) -> Iterator[str]:
    for kind, content in old.get("content", {}).items():
        found = new.get("content", {}).get(kind)
        if found is None:
            yield f"{place.words} is no {kind} any more"
        else:
            yield from _compare_schemas(place, content.get("schema", {}), found.get("schema", {}))


def _compare_schemas(place: Place, old: Json, new: Json, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Compare what may stand in one place, alternative by alternative."""
    if old.get("$ref", "") in seen:
        return
    seen |= {old["$ref"]} if "$ref" in old else set()
    before, after = _alternatives(place.old, old), _alternatives(place.new, new)
    if "any" in after or "any" in before:
        if not place.is_sent and "any" not in before or place.is_sent and "any" not in after:
            yield f"{place.words} is of another type"
        return
    lost = before.keys() - after.keys() if place.is_sent else after.keys() - before.keys()
    if "integer" in lost and "number" in after and place.is_sent:
        lost -= {"integer"}
    if lost:
        yield f"{place.words} {'may not be' if place.is_sent else 'may be'} {', '.join(sorted(lost))}"
    for name in before.keys() & after.keys():
        yield from _compare_alternatives(place, before[name], after[name], seen)


def _alternatives(document: Json, schema: Json) -> dict[str, Json]:
    """Return the schemas that a value may have, by its type; "any" for one without a type."""
    if "$ref" in schema:
        return _alternatives(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            found: dict[str, Json] = {}
            for one in schema[word]:
                found |= _alternatives(document, one)
            return found
    types = schema.get("type", "any")
    return {name: schema for name in ([types] if isinstance(types, str) else types)}


def _compare_alternatives(place: Place, old: Json, new: Json, seen: frozenset[str]) -> Iterator[str]:
    yield from _compare_values(place, _values(old), _values(new))
    if place.is_sent:
        yield from _compare_bounds(place, old, new)
    yield from _compare_properties(place, old, new, seen)
    if "items" in old and "items" in new:
        yield from _compare_schemas(place.at("items"), old["items"], new["items"], seen)


def _values(schema: Json) -> set[str] | None:
    if "const" in schema:
        return {str(schema["const"])}
    return set(map(str, schema["enum"])) if "enum" in schema else None


def _compare_values(place: Place, old: set[str] | None, new: set[str] | None) -> Iterator[str]:
    narrow, wide = (new, old) if place.is_sent else (old, new)
    if narrow is not None and (wide is None or wide - narrow):
        found = ", ".join(sorted((wide or set()) - narrow)) or "anything else"
        yield f"{place.words} {'may not be' if place.is_sent else 'may be'} {found}"


def _compare_bounds(place: Place, old: Json, new: Json) -> Iterator[str]:
    rules: tuple[tuple[tuple[str, ...], Callable[[Any, Any], bool]], ...] = (
        (_UPPER, lambda was, now: now < was),
        (_LOWER, lambda was, now: now > was),
        (("pattern",), lambda was, now: bool(now != was)),
    )
    for words, is_narrower in rules:
        for word in words:
            if word in new and (word not in old or is_narrower(old[word], new[word])):
                yield f"{place.words} has {word} {new[word]}"


def _compare_properties(place: Place, old: Json, new: Json, seen: frozenset[str]) -> Iterator[str]:
    before: Mapping[str, Json] = old.get("properties", {})
    after: Mapping[str, Json] = new.get("properties", {})
    was, now = set(old.get("required", ())), set(new.get("required", ()))
    for name in sorted(now - was if place.is_sent else (was - now) & after.keys()):
        yield f"{place.words} {name} {'must be sent' if place.is_sent else 'may be missing'}"
    for name, schema in before.items():
        here = place.at(name)
        if name not in after:
            yield f"{here.words} is gone"
        else:
            yield from _compare_schemas(here, schema, after[name], seen)


def main() -> None:
    """Write what is promised from now on."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    document = read_promise(import_string("config.api.api").get_openapi_schema())
    RELEASED.parent.mkdir(exist_ok=True)
    RELEASED.write_text(_write(document, depth=4) + "\n")


def _write(part: Json, depth: int) -> str:
    """Return JSON with a line for each operation and each schema, so that a change is a line."""
    if depth == 1 or not isinstance(part, dict):
        return json.dumps(part, sort_keys=True, ensure_ascii=False)
    inner = [f"{json.dumps(name)}: {_write(part[name], depth - 1)}" for name in sorted(part)]
    return "{\n" + ",\n".join(inner) + "\n}"


if __name__ == "__main__":
    main()
