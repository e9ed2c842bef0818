"""A check that a person asks for a code, by a widget of Turnstile or hCaptcha; off by default."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from apps.web import outgoing_http
from apps.web.problems import Problem

#: Characters of a widget's proof at most.
MAX_PROOF_LENGTH = 4_096
#: Seconds for the question whether a proof is good.
TIMEOUT_SECONDS = 5.0
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Widget:
    """A kind of widget: its script, its element's class, its form field, and the hosts that it loads from."""

    script: str
    css_class: str
    field: str
    verify_url: str
    hosts: tuple[str, ...]


WIDGETS = {
    "turnstile": Widget(
        script="https://challenges.cloudflare.com/turnstile/v0/api.js",
        css_class="cf-turnstile",
        field="cf-turnstile-response",
        verify_url="https://challenges.cloudflare.com/turnstile/v0/siteverify",
        hosts=("https://challenges.cloudflare.com",),
    ),
    "hcaptcha": Widget(
        script="https://js.hcaptcha.com/1/api.js",
        css_class="h-captcha",
        field="h-captcha-response",
        verify_url="https://api.hcaptcha.com/siteverify",
        hosts=("https://hcaptcha.com", "https://*.hcaptcha.com"),
    ),
}


def current() -> Widget | None:
    """The widget of the settings; None while the check is off."""
    return WIDGETS.get(settings.HUMAN_CHECK)


def csp_sources() -> dict[str, list[str]]:
    """What pages may load for the widget, by directive."""
    widget = current()
    directives = ("script-src", "frame-src", "style-src", "connect-src")
    return {name: list(widget.hosts) for name in directives} if widget else {}


def read_proof(post: Mapping[str, str]) -> str:
    """The proof in the fields of a page's form; "" without one."""
    widget = current()
    return post.get(widget.field, "") if widget else ""


def require(proof: str, *, ip: str) -> None:
    """Problem 403 not_human for a proof that the widget's server refuses, 503 when it gives no answer."""
    widget = current()
    if widget is None:
        return
    if not 0 < len(proof) <= MAX_PROOF_LENGTH:
        raise _refusal()
    if not _is_good(_fetch_verdict(widget, proof, ip=ip)):
        raise _refusal()


def _fetch_verdict(widget: Widget, proof: str, *, ip: str) -> bytes:
    url = settings.HUMAN_CHECK_VERIFY_URL or widget.verify_url
    fields = {"secret": settings.HUMAN_CHECK_SECRET, "response": proof, "remoteip": ip}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        answer = outgoing_http.exchange(
            "POST", url, headers=headers, body=urlencode(fields).encode(), seconds=TIMEOUT_SECONDS
        )
    except outgoing_http.NoAnswer as error:
        raise _unavailable(str(error)) from error
    if not answer.is_success:
        raise _unavailable(f"status {answer.status}")
    return answer.body


def _is_good(verdict: bytes) -> bool:
    """Whether it says so, about a page of this site: a proof of another site of the same key is none."""
    try:
        found = json.loads(verdict)
    except (ValueError, RecursionError) as error:
        raise _unavailable("no JSON") from error
    if not isinstance(found, dict) or found.get("success") is not True:
        return False
    site = urlsplit(settings.SITE_URL).hostname
    return found.get("hostname") in (None, site)


def _refusal() -> Problem:
    return Problem(
        403, "not_human", str(_("Please confirm first that you are a person, then ask for a code."))
    )


def _unavailable(reason: str) -> Problem:
    host = urlsplit(settings.HUMAN_CHECK_VERIFY_URL or WIDGETS[settings.HUMAN_CHECK].verify_url).hostname
    log.error("%s does not say whether a person asks for a code: %s", host, reason)
    return Problem(503, "not_sent", str(_("We can't send messages right now.")), retry_after=60)
