"""Reminders of sales in the JSON API."""

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.coupons import limits
from apps.coupons.catalog import reminders
from apps.web.problems import RowId, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"], 429: ["too_many_requests"]}


class ReminderOut(Schema):
    reminder: bool
    waiting: int = Field(description="people who will be told; 1001 for more than 1,000")


@router.put(
    "/vouchers/{voucher_id}/reminder",
    operation_id="setSaleReminder",
    auth=auth.bearer,
    response=ReminderOut,
    summary="Be told five minutes before a sale begins",
    openapi_extra=documented.problems(_PROBLEMS | {409: ["begun", "too_late"]}),
)
def remind(request: HttpRequest, voucher_id: RowId) -> dict[str, int | bool]:
    """However often it is sent, one message; 409 too_late in the last five minutes."""
    user_id = auth.require_login(request).user_id
    limits.charge_reminder(user_id)
    sale = reminders.add(voucher_id, user_id)
    return {"reminder": True, "waiting": reminders.count_waiting(sale)}


@router.delete(
    "/vouchers/{voucher_id}/reminder",
    operation_id="removeSaleReminder",
    auth=auth.bearer,
    response=ReminderOut,
    summary="Don't be told",
    openapi_extra=documented.problems(_PROBLEMS),
)
def forget(request: HttpRequest, voucher_id: RowId) -> dict[str, int | bool]:
    """The same answer when one had not asked."""
    user_id = auth.require_login(request).user_id
    limits.charge_reminder(user_id)
    sale = reminders.remove(voucher_id, user_id)
    return {"reminder": False, "waiting": reminders.count_waiting(sale)}
