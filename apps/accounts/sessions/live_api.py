"""The live stream in the JSON API, for requests that the event loop does not serve."""

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router

from apps.accounts import auth
from apps.web.problems import Problem, documented

router = Router()


@router.get(
    "/live",
    auth=auth.bearer_or_cookie,
    response={200: None},
    summary="What happens, as it happens",
    openapi_extra=documented.problems({401: ["not_logged_in"], 429: ["too_many_requests"]}),
)
def live(request: HttpRequest) -> None:
    """Server-sent events, with `Accept: text/event-stream`: `ready`, `reset` (load everything again), `chat`,
    `mailbox`, `order`, and `stock` of the sales in `?sales=7,9`. `Last-Event-ID` brings what was missed.
    """
    message = _("There is no live stream free for you right now. Ask again in a while.")
    raise Problem(429, "too_many_requests", message, retry_after=30)
