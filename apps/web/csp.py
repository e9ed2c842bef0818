"""The Content-Security-Policy, with a looser one for the admin, whose scripts evaluate attributes."""

import base64
import hashlib
from collections.abc import Callable
from functools import cache

from csp.constants import HEADER, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import cached_property

from apps.web.registry import Registry

#: Replaces these directives under /admin/ only; inline scripts but early_script() stay forbidden there too.
ADMIN_DIRECTIVES = {
    "script-src": [SELF, UNSAFE_EVAL],
    "style-src": [SELF, UNSAFE_INLINE],
}
ADMIN_ROOT = "/admin/"
#: An answer of data loads nothing and is framed nowhere, should a browser ever show it as a page.
DATA_TYPES = ("application/json", "application/problem+json")
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
#: What django-csp's decorators leave on a response that wants a policy of its own.
OVERRIDE_ATTRIBUTES = {"_csp_exempt", "_csp_config", "_csp_update", "_csp_replace"}


#: What apps add to the policy of the site's pages, by directive: hosts of providers that the settings name.
SOURCES: Registry[Callable[[], dict[str, list[str]]]] = Registry("sources of the Content-Security-Policy")


class CspMiddleware(CSPMiddleware):
    """Sets the policy; the strict one is built once, since it costs more than all other headers."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path.startswith(ADMIN_ROOT):
            response._csp_replace = self._admin_directives  # type: ignore[attr-defined]
        if getattr(request, "_csp_nonce", None) or OVERRIDE_ATTRIBUTES & vars(response).keys():
            answered: HttpResponseBase = super().process_response(request, response)
            return answered
        is_data = response.headers.get("Content-Type", "").startswith(DATA_TYPES)
        response.headers.setdefault(HEADER, DATA_POLICY if is_data else self._strict_policy)
        return response

    @cached_property
    def _admin_directives(self) -> dict[str, list[str]]:
        """An error under /admin/ is a page of the site, with its early script."""
        scripts = [*ADMIN_DIRECTIVES["script-src"], hash_source(early_script())]
        return ADMIN_DIRECTIVES | {"script-src": scripts}

    @cached_property
    def _strict_policy(self) -> str:
        return str(build_policy(update=gather_sources()))


def gather_sources() -> dict[str, list[str]]:
    """What the policy has beside the settings' own: the early script, and what apps have registered."""
    found = {"script-src": [hash_source(early_script())]}
    for directive, sources in (pair for each in SOURCES.entries() for pair in each().items()):
        # A directive that the settings leave out is what default-src says, until there is one.
        known = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
        found.setdefault(directive, [] if directive in known else [SELF]).extend(sources)
    return found


@cache
def early_script() -> str:
    """Return the one script that pages hold themselves, for their first paint (parts/head_assets.html).

    It is read as a file: every answer has the policy, also that of an error in templates.
    """
    return (settings.BASE_DIR / "templates/parts/early_script.js").read_text(encoding="utf-8")


def hash_source(script: str) -> str:
    """Return the source expression that lets exactly this inline script run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
