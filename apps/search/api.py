"""The JSON API of search."""

from typing import Any

from django.http import HttpRequest
from ninja import Query as FromQuery
from ninja import Router

from apps.accounts import auth
from apps.search import limits, schemas
from apps.search.query.search import search
from apps.search.suggest.api import router as suggestions
from apps.web.problems import documented

router = Router()
router.add_router("", suggestions)


@router.get(
    "/search",
    operation_id="search",
    auth=auth.optional_bearer,
    response=schemas.SearchOut,
    summary="Search shops, notes, people and running sales",
    openapi_extra=documented.problems(
        {
            401: ["not_logged_in"],
            422: ["unknown_kind", "unknown_order"],
            429: ["too_many_requests"],
            503: ["busy"],
        }
    ),
)
def search_all(request: HttpRequest, wanted: FromQuery[schemas.SearchIn]) -> dict[str, Any]:
    """Words, "phrases", `+synonym` of the word before, `-unwanted`. No text is an error.

    Chinese names are found by pinyin too, after what is written so.

    A person may search 30 times in ten seconds, the visitors of an address 60 times.
    """
    viewer_id = auth.viewer_id(request)
    limits.charge_search(request, viewer_id)
    return schemas.build_answer(search(schemas.build_request(wanted, viewer_id)))
