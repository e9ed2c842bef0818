from collections.abc import Callable

import pytest
import redis
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from django.views.decorators.http import require_POST
from pydantic import TypeAdapter, ValidationError
from pytest_django.fixtures import Settings

from apps.redis_kit import cache
from apps.web.problems import Problem, RowId
from apps.web.problems.ids import MAX_ROW_ID
from config import urls


def raising(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    return view


def show_id(request: HttpRequest, number: int) -> HttpResponse:
    return HttpResponse(str(number))


ERRORS: dict[str, tuple[Exception, int, str]] = {
    "sold-out": (Problem(409, "sold_out", "Nothing is left."), 409, "Nothing is left."),
    "away": (redis.ConnectionError("refused"), 503, "busy right now"),
    "crowded": (cache.Busy("too many loads"), 503, "busy right now"),
    "slow": (redis.TimeoutError("late"), 503, "busy right now"),
    "full": (redis.OutOfMemoryError("full"), 503, "busy right now"),
    "locked": (OperationalError("database is locked"), 503, "busy right now"),
    "forbidden": (PermissionDenied(), 403, "<h1"),
    "absent": (Http404(), 404, "<h1"),
    "bug": (ZeroDivisionError("a secret"), 500, "<h1"),
}
urlpatterns = [*urls.urlpatterns]
urlpatterns += [path(f"{name}/", raising(error)) for name, (error, _status, _text) in ERRORS.items()]
urlpatterns += [path(f"api/{name}", raising(error)) for name, (error, _status, _text) in ERRORS.items()]
urlpatterns += [path("ids/<bigid:number>/", show_id)]
urlpatterns += [path(address, require_POST(raising(Http404()))) for address in ("posting/", "api/posting")]
handler400 = "apps.web.problems.error_pages.bad_request"
handler403 = "apps.web.problems.error_pages.forbidden"
handler404 = "apps.web.problems.error_pages.not_found"
handler500 = "apps.web.problems.error_pages.failed"


@pytest.fixture(autouse=True)
def failing_site(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_a_page_with_its_status(client: Client, name: str) -> None:
    _error, status, text = ERRORS[name]
    answer = client.get(f"/{name}/")
    assert answer.status_code == status
    assert answer["Content-Type"].startswith("text/html")
    assert text in answer.content.decode()
    assert "secret" not in answer.content.decode()


@pytest.mark.parametrize("name", ERRORS)
def test_the_same_error_under_api_is_a_problem(client: Client, name: str) -> None:
    answer = client.get(f"/api/{name}")
    assert answer.status_code == ERRORS[name][1]
    assert answer["Content-Type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail", "code"}
    assert "secret" not in answer.content.decode()


def test_a_method_that_a_page_does_not_take_is_told_in_words(client: Client) -> None:
    answer = client.get("/posting/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This address does not take that method." in answer.content.decode()
    assert client.get("/api/posting").json()["code"] == "method_not_allowed"


def test_busy_says_when_to_come_back(client: Client) -> None:
    for url in ("/away/", "/api/away"):
        assert client.get(url)["Retry-After"] == "2"


def forget_session(get_response: object) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware whose store is away: it stands outside of views."""
    return raising(OperationalError("canceling statement due to lock timeout"))


@pytest.mark.parametrize("path", ["/ids/1/", "/api/ids/1"])
def test_a_store_that_fails_in_a_middleware_is_busy_as_in_a_view(
    client: Client, settings: Settings, path: str
) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{__name__}.forget_session"]
    answer = client.get(path)
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert "busy right now" in answer.content.decode()


def test_a_problem_carries_its_own_members() -> None:
    problem = Problem(409, "already_bought", "Once each.", retry_after=0.2, order_id="662512844440339365")
    assert problem.as_dict()["order_id"] == "662512844440339365"
    assert problem.headers == {"Retry-After": "1"}


@pytest.mark.parametrize("number", [1, 2**31, 2**53, MAX_ROW_ID])
def test_a_page_takes_every_id_a_row_can_have(client: Client, number: int) -> None:
    assert client.get(f"/ids/{number}/").content == str(number).encode()


NO_IDS = ["0", "-1", "01", "1.5", "1e3", "1_0", "１", str(MAX_ROW_ID + 1), "9" * 5_000]


@pytest.mark.parametrize("number", NO_IDS)
def test_an_id_no_row_can_have_is_404(client: Client, number: str) -> None:
    assert client.get(f"/ids/{number}/").status_code == 404


@pytest.mark.parametrize("number", [1, "1", MAX_ROW_ID, str(MAX_ROW_ID)])
def test_the_api_takes_every_id_a_row_can_have(number: object) -> None:
    assert TypeAdapter(RowId).validate_python(number) == int(str(number))


NOT_ROW_IDS: list[object] = [0, -1, MAX_ROW_ID + 1, 10**30, True, 1.0, 1.5, None, [], {}]
NOT_ROW_IDS += ["1_000", "１", " 1", "1e3", "", "9" * 5_000]


@pytest.mark.parametrize("number", NOT_ROW_IDS)
def test_the_api_refuses_what_is_no_id(number: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(RowId).validate_python(number)


def test_a_page_that_can_t_be_drawn_is_plain(settings: Settings) -> None:
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"DIRS": [], "APP_DIRS": False}]
    answer = Client(raise_request_exception=False).get("/sold-out/")
    assert answer.status_code == 409
    assert "Nothing is left." in answer.content.decode()
