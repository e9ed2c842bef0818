"""The JSON API of shipped access logs; the project's API mounts it with its own authentication."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from apps.logship import block_stream, report
from apps.logship.models import FilePosition
from apps.redis_kit import client
from apps.uv import days as site_days
from apps.web import paging
from apps.web.problems import PlainDigits, documented

router = Router()
#: As the mount of this router refuses.
_PROBLEMS = documented.problems(
    {
        401: ["not_logged_in"],
        403: ["forbidden", "second_factor_required"],
        422: ["invalid", "bad_cursor"],
    }
)
Days = Annotated[int, Ge(1), Le(400), PlainDigits]


class CityVisitsOut(Schema):
    city: str = Field(description="in the language of the request; of unknown addresses a word that says so")
    country: str = Field(description='two letters; "" where unknown')
    visits: int = Field(description="pages that were opened from there")


class CitiesVisitsOut(Schema):
    since: date = Field(description="the first day that is counted")
    items: list[CityVisitsOut]
    next: paging.Next


class ShippedFileOut(Schema):
    file: str = Field(description="its name")
    analyser: str = Field(description="what counts it")
    sent_bytes: int | None = Field(description="of the file's text, into Redis; null while Redis is away")
    counted_bytes: int = Field(description="of these, counted by the analyser")
    lost_bytes: int = Field(description="that the analyser never got")
    damaged_blocks: int = Field(description="whose checksum was wrong")
    updated_at: datetime = Field(description="when it was last counted, UTC")


class ShippedFilesOut(Schema):
    items: list[ShippedFileOut]
    next: paging.Next


@router.get(
    "/visits-by-city",
    operation_id="listVisitsByCity",
    response=CitiesVisitsOut,
    summary="Visits by city",
    openapi_extra=_PROBLEMS,
)
def list_visits_by_city(
    request: HttpRequest,
    days: Days = report.DAYS,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
) -> dict[str, Any]:
    """Of the last days, today included, the busiest city first."""
    since = site_days.today() - timedelta(days=days - 1)
    found, kind = report.list_cities(since), f"cities:{days}"
    page = paging.cut_list(
        found, key=lambda row: f"{row.name}|{row.country}", kind=kind, cursor=cursor, size=size
    )
    items = [{"city": row.name, "country": row.country, "visits": row.visits} for row in page.items]
    return {"since": since, "items": items, "next": page.next}


@router.get(
    "/shipped-files",
    operation_id="listShippedFiles",
    response=ShippedFilesOut,
    summary="How far log files are shipped and counted",
    openapi_extra=_PROBLEMS,
)
def list_shipped_files(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """A row for each file and analyser, the newest file first."""
    rows = FilePosition.objects.all()
    page = paging.fetch_page(rows, order=["-id"], types=[int], cursor=cursor, size=size)
    sent = _read_sent([row.file for row in page.items])
    return {"items": [_build_file(row, sent.get(row.file)) for row in page.items], "next": page.next}


def _read_sent(files: list[str]) -> dict[str, int]:
    try:
        return block_stream.read_sent_of(files)
    except client.UNAVAILABLE:
        return {}


def _build_file(row: FilePosition, sent: int | None) -> dict[str, Any]:
    return {
        "file": row.file,
        "analyser": row.analyser,
        "sent_bytes": sent,
        "counted_bytes": row.offset,
        "lost_bytes": row.lost_bytes,
        "damaged_blocks": row.damaged_blocks,
        "updated_at": row.updated_at,
    }
