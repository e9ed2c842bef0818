"""Renders problems as HTML pages or JSON; contains Django's error handlers."""

import logging
import sys

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import select_template
from django.utils.html import escape

from apps.web.problems import translation
from apps.web.problems.problem import Problem

API_ROOT = "/api/"
logger = logging.getLogger(__name__)


def respond(request: HttpRequest, problem: Problem) -> HttpResponse:
    """A problem as JSON under /api/, else as the page <status>.html with code, detail and retry_after."""
    if request.path.startswith(API_ROOT):
        return problem.as_json()
    return HttpResponse(_render_page(request, problem), status=problem.status, headers=problem.headers)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    return respond(request, translation.translate(exception))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler403."""
    return respond(request, translation.translate(exception or PermissionDenied()))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404."""
    return respond(request, translation.translate(exception or Http404()))


def failed(request: HttpRequest) -> HttpResponse:
    """Django's handler500; Django has logged the trace. A store that failed in a middleware is a 503."""
    # Django calls it while it handles the exception, and gives it none.
    error = sys.exception()
    is_store = isinstance(error, translation.STORE_ERRORS)
    return respond(
        request, translation.translate(error) if error and is_store else translation.from_status(500)
    )


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW."""
    return respond(request, Problem(403, "csrf", translation.stale_form_text()))


def _render_page(request: HttpRequest, problem: Problem) -> str:
    names = [
        f"{problem.status}_{problem.code}.html",
        f"{problem.status}.html",
        "500.html" if problem.status >= 500 else "400.html",
    ]
    about = {
        "code": problem.code,
        "detail": problem.detail,
        "retry_after": problem.retry_after,
        "problem": problem,
    }
    try:
        return str(select_template(names).render(about, request))
    except Exception:  # rendering the page may need the store that has just failed
        logger.exception("the page of a %s could not be drawn", problem.status)
        return f"<!doctype html><title>{escape(problem.title)}</title><h1>{escape(problem.title)}</h1>" + (
            f"<p>{escape(problem.detail)}</p>"
        )
