"""What the panel shows of recorded requests: their steps, with the declaration behind each key."""

from typing import Any

from apps.backoffice.lens import store
from apps.backoffice.lens.access import LensSession
from apps.monitoring import pattern_pages
from apps.redis_kit import schema

#: Width of a request's timeline, in its own units.
TIMELINE_UNITS = 1_000


def load_requests(session: LensSession) -> list[dict[str, Any]]:
    """The session's recorded requests, newest first, ready for the template; raises client.UNAVAILABLE."""
    requests = store.read_newest(session)
    declarations = {declaration.pattern: declaration for declaration in schema.declared()}
    for request in requests:
        for step in request["steps"]:
            _place_on_timeline(step, request["total_us"])
            for command in step.get("commands", ()):
                for key in command["keys"]:
                    key["declared"] = _describe(declarations.get(key["pattern"]))
    return requests


def _place_on_timeline(step: dict[str, Any], total_us: int) -> None:
    """Set `x` and `width` in TIMELINE_UNITS; what is too short to be seen is a hair wide."""
    whole = max(total_us, 1)
    step["x"] = min(TIMELINE_UNITS - 2, round(step["at_us"] * TIMELINE_UNITS / whole))
    step["width"] = max(2, min(TIMELINE_UNITS - step["x"], round(step["us"] * TIMELINE_UNITS / whole)))


def _describe(declaration: schema.Key | None) -> dict[str, Any] | None:
    if declaration is None:
        return None
    return {"key": declaration, "url": pattern_pages.declaration_url(declaration)}
