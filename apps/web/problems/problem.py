"""The Problem exception (RFC 9457)."""

from http import HTTPStatus
from math import ceil

from django.http import JsonResponse

Extra = str | int | float | bool | list[dict[str, str]] | None


class Problem(Exception):  # noqa: N818 - the word of the RFC
    """A refusal: HTTP status, stable `code`, `detail` for people, seconds to wait, and further members.

    Source: RFC 9457. `type` stays "about:blank": programs read `code`, people read `detail`. A 422 without
    `errors` of its own has one, about the `field` that is wrong: "" for the request as a whole.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str = "",
        retry_after: float | None = None,
        *,
        field: str = "",
        **extra: Extra,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.title = HTTPStatus(status).phrase
        self.detail = detail or self.title
        self.retry_after = None if retry_after is None else max(1, ceil(retry_after))
        if status == HTTPStatus.UNPROCESSABLE_ENTITY:
            extra.setdefault("errors", [{"field": field, "message": str(self.detail)}])
        self.extra = extra

    @property
    def headers(self) -> dict[str, str]:
        """The response's headers: Retry-After when waiting helps, WWW-Authenticate with 401."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return headers | ({"WWW-Authenticate": "Bearer"} if self.status == HTTPStatus.UNAUTHORIZED else {})

    def as_dict(self) -> dict[str, Extra]:
        """The members of the JSON body."""
        body: dict[str, Extra] = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": str(self.detail),
            "code": self.code,
        }
        return body | self.extra

    def as_json(self) -> JsonResponse:
        """The JSON API's response."""
        return JsonResponse(
            self.as_dict(), status=self.status, content_type="application/problem+json", headers=self.headers
        )
