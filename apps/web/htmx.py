"""Whether htmx sent a request, what its button wants, and answers with a toast beside the replaced part."""

import json
from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

from apps.web.problems.problem import Problem


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx sent this request: it wants one part of the page, not the whole."""
    return "HX-Request" in request.headers


def wants_on(value: str | None, *, is_on: Callable[[], bool]) -> bool:
    """What the press of a button wants: "1" on, "0" off.

    Another value comes, without JavaScript, from a page that doesn't know the state: it is turned.
    """
    return value == "1" if value in {"0", "1"} else not is_on()


def toast_response(
    text: object,
    *,
    level: str = "success",
    content: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    undo: str = "",
    more: tuple[str, object] | None = None,
) -> HttpResponse:
    """An answer for htmx with HTML `content` that shows `text` as a toast of level "success" or "error".

    `undo` is the URL to which the toast's button "Undo" posts, `more` the URL and the words of a link.
    """
    toast: dict[str, object] = {"text": str(text), "level": level}
    if undo:
        toast["undo"] = undo
    if more:
        toast["more"] = {"url": more[0], "text": str(more[1])}
    trigger = json.dumps({"toast": toast})
    return HttpResponse(content, status=status, headers={**(headers or {}), "HX-Trigger": trigger})


def refusal_response(problem: Problem, content: str) -> HttpResponse:
    """The element as it is now, the problem's own status and headers, and its text as an error toast."""
    return toast_response(
        problem.detail, level="error", content=content, status=problem.status, headers=problem.headers
    )
