"""Answers to claims, with the headers and the language that Django's middleware would give them.

Each kind of answer passes Django's own middleware once for each variant of the request (host, scheme, origin,
language, …). It is cached with a placeholder where the order id, or the body with the receipt, goes. A
variant whose accepted claim doesn't come out of the middleware as it went in has no answers here: Django
refuses such a request.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse

from apps.coupons import refusals
from apps.coupons.buyer import claim_responses
from apps.coupons.claims import receipts
from apps.coupons.claims.seckill import ClaimAnswer
from apps.front import observe
from apps.front.response import Response, Template
from apps.front.wsgi_bridge import ADMITTED
from apps.web import request_origin
from apps.web.problems import Problem

#: A row's id that stands where the order id or another text goes; no message contains it.
PLACEHOLDER_ID = 9_007_199_254_740_881
PLACEHOLDER = str(PLACEHOLDER_ID).encode()
#: Variants kept: forged headers must not fill the memory.
MAX_VARIANTS = 2_048
#: Headers of a request that change its answer, and WSGI's names for them.
VARIANT_HEADERS = {
    b"host": "HTTP_HOST",
    b"accept-language": "HTTP_ACCEPT_LANGUAGE",
    b"x-forwarded-proto": "HTTP_X_FORWARDED_PROTO",
    b"x-forwarded-host": "HTTP_X_FORWARDED_HOST",
    b"origin": "HTTP_ORIGIN",
    b"sec-fetch-site": "HTTP_SEC_FETCH_SITE",
}
SAMPLE_PATHS = {False: "/api/vouchers/1/seckill", True: "/vouchers/1/grab/"}


class RequestVariant:
    """The part of a request that its answer depends on, as WSGI's `environ`.

    Made by `variant_for`, which returns the same object for like requests: refusals are cached by it.
    """

    #: The answer to an accepted claim.
    accepted: Template

    def __init__(self, variables: dict[str, str], *, is_form: bool) -> None:
        self.is_form, self.route = is_form, observe.route_name(SAMPLE_PATHS[is_form])
        self.environ: dict[str, Any] = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": SAMPLE_PATHS[is_form],
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            # Only a claim that was let in comes here.
            ADMITTED: True,
            **variables,
        }


class Claim(NamedTuple):
    """One claim as the gateway reads it: `digest` is of the log-in token, which names the user id.

    The digest is empty without a well-formed log-in token; such a claim reaches no batch. `is_repeated`: it
    was decided before, when Redis didn't hold its log-in.
    """

    digest: str
    voucher_id: int
    request_token: str
    user_id: int
    variant: RequestVariant
    is_repeated: bool = False


@lru_cache(maxsize=MAX_VARIANTS)
def variant_for(
    is_form: bool, scheme: str, cookie: bytes | None, authorization: bytes | None, *values: bytes | None
) -> RequestVariant | None:
    """The variant of a request with these headers, the last of which are VARIANT_HEADERS in their order.

    None when Django's middleware refuses it: for its host, its scheme or its origin.
    """
    given = dict(zip(VARIANT_HEADERS.values(), values, strict=True))
    given |= {"HTTP_COOKIE": cookie, "HTTP_AUTHORIZATION": authorization}
    variables = {name: value.decode("latin-1") for name, value in given.items() if value is not None}
    variant = RequestVariant(variables | {"wsgi.url_scheme": scheme}, is_form=is_form)
    variant.accepted = _renderer().render(variant, _build_redirect if is_form else _build_accepted)
    is_whole = variant.accepted.response.status in {201, 303} and variant.accepted.has_placeholder
    return variant if is_whole else None


class _MiddlewareRenderer(BaseHandler):
    """Django's middleware around a given response."""

    _view_middleware: list[Callable[..., HttpResponse | None]]

    def __init__(self) -> None:
        self.load_middleware()

    def _get_response(self, request: HttpRequest) -> HttpResponse:
        # Called inside the middleware, where the language of the request is the active one.
        view, arguments, names = self.resolve_request(request)
        for check in self._view_middleware:
            refused = check(request, view, arguments, names)
            if refused:
                return refused
        build: Any = request.META["savor.build_response"]
        response: HttpResponse = build()
        return response

    def render(self, variant: RequestVariant, build: Callable[[], HttpResponse]) -> Template:
        own = {"wsgi.input": BytesIO(), "savor.build_response": build, observe.INTERNAL: True}
        request = WSGIRequest(variant.environ | own)
        response = cast(HttpResponse, self.get_response(request))
        headers = [
            (name.lower().encode("latin-1"), str(value).encode("latin-1")) for name, value in response.items()
        ]
        # Not response.close(): it would signal the end of a request, at which Django looks at connections
        # to SQL, and this may run in the event loop.
        request.close()
        answer = Response(response.status_code, headers, response.content, route=variant.route)
        return Template(answer, PLACEHOLDER)


def warm_up() -> bool:
    """Load the URLs and the middleware, which lists the static files, so that no claim waits for it.

    Whether Django takes claims that come as the site's own do: to its host, by its scheme and proxies.
    """
    scheme, host = (value.encode() for value in request_origin.own())
    headers = {b"host": host}
    if settings.TRUSTED_PROXIES:
        headers |= {b"x-forwarded-proto": scheme, b"x-forwarded-host": host}
    at_socket = "http" if settings.TRUSTED_PROXIES else scheme.decode()
    found = []
    for code, _name in settings.LANGUAGES:
        headers[b"accept-language"] = code.encode()
        values = [headers.get(name) for name in VARIANT_HEADERS]
        found += [variant_for(is_form, at_socket, None, None, *values) for is_form in (False, True)]
    return None not in found


@lru_cache(maxsize=1)
def _renderer() -> _MiddlewareRenderer:
    return _MiddlewareRenderer()


def answer_refused(claim: Claim, answer: ClaimAnswer) -> Response:
    """The response to a claim that got nothing, for reasons that need no fact (Outcome.needs_fact)."""
    build, arguments = answer.refuse(PLACEHOLDER_ID)
    template = _render_refused(claim.variant, build, *arguments)
    return template.fill(str(answer.order_id or claim.voucher_id))


def fill_accepted(accepted: Sequence[tuple[ClaimAnswer, Claim]]) -> list[str]:
    """What fills the answers of accepted claims, which are kept: the order's id of each form, the JSON of
    Django's view for others.
    """
    contents = [
        receipts.CONTENT
        % (answer.order_id or 0, claim.user_id, claim.voucher_id, answer.epoch, claim.request_token)
        for answer, claim in accepted
    ]
    forms = [claim.variant.is_form for _, claim in accepted]
    receipts.keep_claims(contents)
    texts = iter(
        receipts.sign_contents([content for content, form in zip(contents, forms, strict=True) if not form])
    )
    return [
        str(answer.order_id) if form else receipts.JSON % (answer.order_id or 0, next(texts))
        for (answer, _), form in zip(accepted, forms, strict=True)
    ]


def refuse(claim: Claim, build: Callable[..., Problem], *arguments: int) -> Response:
    """The answer of the Problem `build(*arguments)`."""
    return _render_refused(claim.variant, build, *arguments).fill(str(claim.voucher_id))


def refuse_before_start(claim: Claim, begins_at: str) -> Response:
    """The answer to a claim that came too early."""
    filling = str(claim.voucher_id) if claim.variant.is_form else begins_at
    return _render_refused(claim.variant, refusals.not_started, PLACEHOLDER.decode()).fill(filling)


@lru_cache(maxsize=8 * MAX_VARIANTS)
def _render_refused(
    variant: RequestVariant, build: Callable[..., Problem], *arguments: int | str | None
) -> Template:
    def respond() -> HttpResponse:
        problem = build(*arguments)
        return (
            claim_responses.after_refusal(PLACEHOLDER_ID, problem) if variant.is_form else problem.as_json()
        )

    return _renderer().render(variant, respond)


def _build_redirect() -> HttpResponse:
    return claim_responses.to_order(PLACEHOLDER_ID)


def _build_accepted() -> HttpResponse:
    """The whole body is the placeholder: the order id and the receipt are all that it says."""
    return claim_responses.accepted(PLACEHOLDER.decode())
