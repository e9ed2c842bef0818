"""The JSON API of the reconciliation; the project's API mounts it with its own authentication."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from apps.monitoring.models import ReconcileResult
from apps.monitoring.reconcile.parts import PARTS
from apps.web import paging
from apps.web.problems import documented

router = Router()


class ReconcilePartOut(Schema):
    part: str = Field(description="its name, as `manage.py reconcile` takes it")
    about: str = Field(description="what is compared")
    ran_at: datetime = Field(description="when it last ran, UTC")
    clean_at: datetime | None = Field(
        description="when nothing was left for the last time, UTC; null for never"
    )
    fixed: int = Field(description="differences that the last run repaired")
    left: int = Field(description="differences that the last run left")
    seconds: float = Field(description="that it took")


class ReconcilePartsOut(Schema):
    items: list[ReconcilePartOut]
    next: paging.Next


@router.get(
    "/reconcile",
    operation_id="listReconcileResults",
    response=ReconcilePartsOut,
    summary="The last result of the reconciliation",
    openapi_extra=documented.problems(
        {
            401: ["not_logged_in"],
            403: ["forbidden", "second_factor_required"],
            422: ["invalid", "bad_cursor"],
        }
    ),
)
def list_results(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """Of each part that has run, by name; the sum of `left` is 0 when Redis and SQL agree."""
    page = paging.fetch_page(
        ReconcileResult.objects.all(), order=["part"], types=[str], cursor=cursor, size=size
    )
    return {"items": list(map(_build_result, page.items)), "next": page.next}


def _build_result(row: ReconcileResult) -> dict[str, Any]:
    part = PARTS.get(row.part)
    return {
        "part": row.part,
        "about": part.about if part else "",
        "ran_at": row.ran_at,
        "clean_at": row.clean_at,
        "fixed": row.fixed,
        "left": row.left,
        "seconds": row.seconds,
    }
