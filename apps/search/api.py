"""The JSON API of search."""

from typing import Any

from django.http import HttpRequest
from ninja import Query as FromQuery
from ninja import Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.search import limits, schemas
from apps.search.query.search import search
from apps.search.suggest.api import router as suggestions
from apps.search.words import said_words
from apps.shops import access as shops_access
from apps.web import paging
from apps.web.problems import RowId, documented, json_api

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


class SaidWordOut(Schema):
    """`/api/shops/{id}/notes?word=` lists the notes."""

    word: str = Field(description="a word of letters, in lower case")
    notes: int = Field(description="how many of the newest 300 say it")


class SaidWordsOut(Schema):
    items: list[SaidWordOut]
    next: paging.Next = None


@router.get(
    "/shops/{shop_id}/words",
    operation_id="listShopWords",
    response=SaidWordsOut,
    summary="What notes about a shop say most",
    openapi_extra=documented.problems({404: ["not_found"], 503: ["busy"]}),
)
@json_api.public(seconds=10)
def list_words(
    request: HttpRequest, shop_id: RowId, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """At most eight words of the notes in the language of the answer, counted anew every ten minutes."""
    shops_access.shop(shop_id)
    found = said_words.most_said(shop_id)
    page = paging.cut_list(found, key=lambda one: one[0], kind=f"words:{shop_id}", cursor=cursor, size=size)
    return {"items": [{"word": word, "notes": count} for word, count in page.items], "next": page.next}
