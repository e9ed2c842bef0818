"""The API's second factor of staff."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Router, Schema

from apps.accounts import auth, second_factor
from apps.accounts.codes.schemas import Code
from apps.web import client_address
from apps.web.problems import Body, Problem, documented

router = Router()


class SecondFactorIn(Body):
    code: Code


class SecondFactorOut(Schema):
    proven_until: datetime


@router.post(
    "/auth/second-factor",
    operation_id="proveSecondFactor",
    auth=auth.log_in_bearer,
    response=SecondFactorOut,
    url_name="prove_second_factor",
    summary="Give a code of one's authenticator",
    openapi_extra=documented.problems(
        {400: ["wrong_code"], 401: ["not_logged_in"], 409: ["no_second_factor"], 422: ["invalid"]}
    ),
)
def prove(request: HttpRequest, body: SecondFactorIn) -> dict[str, datetime]:
    """This log-in may use one's permissions for twelve hours: after 403 second_factor_required."""
    user = auth.require_user(request)
    if not second_factor.is_set_up(user):
        raise Problem(409, "no_second_factor", second_factor.required(user).detail)
    ip, token_id = client_address.client_ip(request), auth.require_login(request).token_id
    return {"proven_until": second_factor.prove_token(user, token_id, body.code, ip=ip)}
