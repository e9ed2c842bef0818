"""The JSON API of visits; the project's API mounts it with its own authentication."""

from datetime import date
from typing import Annotated, Self

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from apps.uv import days, page_kinds, visits
from apps.web.problems import documented

router = Router()

#: As the mount of this router refuses.
_PROBLEMS = documented.problems({401: ["not_logged_in"], 403: ["forbidden", "second_factor_required"]})
#: Days that one question may be about.
MAX_DAYS = 366
#: Nobody came earlier, and nothing is known of later.
CalendarDate = Annotated[date, Field(ge=date(2020, 1, 1), le=date(2100, 1, 1))]


def validate_page(text: str) -> str:
    try:
        page_kinds.parse_scope(text)
    except ValueError as error:
        raise PydanticCustomError("page", "{reason}", {"reason": str(error)}) from None
    return text


class VisitsParams(Schema):
    """From and to are days of the site's time zone, both included: the last thirty if left out."""

    first: CalendarDate | None = Field(None, alias="from")
    last: CalendarDate = Field(default_factory=days.today, alias="to")
    page: Annotated[str, Field(max_length=50), AfterValidator(validate_page)] = Field(
        "", description='"" for the site, a kind ("shop"), or "shop:12"'
    )

    @model_validator(mode="after")
    def ordered(self) -> Self:
        if not 0 <= (self.last - self.begin).days < MAX_DAYS:
            raise PydanticCustomError(
                "days", "from must not be after to, and {most} days are the most", {"most": MAX_DAYS}
            )
        return self

    @property
    def begin(self) -> date:
        return self.first or self.last - (visits.MONTH_DAYS - 1) * days.ONE_DAY


class DayOut(Schema):
    day: date
    uv: int = Field(description="different visitors")
    pv: int = Field(description="page views")


class CountOut(Schema):
    uv: int | None = Field(description="different visitors; null when Redis no longer has all days")
    pv: int = Field(description="page views")


class VisitsOut(Schema):
    """`week` and `month` are the 7 and 30 days that end with `to`; `total` is of all days asked for."""

    days: list[DayOut]
    week: CountOut
    month: CountOut
    total: CountOut


@router.get(
    "/uv",
    operation_id="getVisits",
    response=VisitsOut,
    summary="Visitors and page views by day",
    openapi_extra=_PROBLEMS,
)
def list_visits(request: HttpRequest, params: Query[VisitsParams]) -> visits.Report:
    """Staff only. Visitors are estimates with a standard error of 0.81 %, views are exact."""
    return visits.build_report(page_kinds.parse_scope(params.page), params.begin, params.last)
