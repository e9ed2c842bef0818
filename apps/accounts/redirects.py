"""Where a log-in leads, restricted to paths of this site."""

import re
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from apps.web.htmx import is_htmx

#: A path of ours: no second slash, no backslash, no control character that browsers drop or turn.
_LOCAL_PATH_PATTERN = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]{0,1000}")
HOME_PATH = "/"


def safe_next(url: str) -> str:
    """The URL when it is a path on this site, else the home page."""
    local = _LOCAL_PATH_PATTERN.fullmatch(url) and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if local else HOME_PATH


def requested_next(request: HttpRequest) -> str:
    """The safe `next` of a request's form or query."""
    return safe_next(request.POST.get("next") or request.GET.get("next") or HOME_PATH)


def login_path() -> str:
    """The path of the log-in page."""
    return resolve_url(settings.LOGIN_URL)


def login_url(request: HttpRequest) -> str:
    """The URL of the log-in page that leads back to the page a person was looking at."""
    return f"{login_path()}?{urlencode({'next': current_page(request)})}"


def current_page(request: HttpRequest) -> str:
    """The path of the page in the browser, also when htmx asks for a part or a form is posted."""
    if request.method == "GET" and not is_htmx(request):
        return request.get_full_path()
    try:
        current = urlsplit(
            request.headers.get("HX-Current-URL") or request.headers.get("Referer") or HOME_PATH
        )
    except ValueError:
        return HOME_PATH
    here = current.netloc in {"", request.get_host()}
    return safe_next(current._replace(scheme="", netloc="").geturl()) if here else HOME_PATH
