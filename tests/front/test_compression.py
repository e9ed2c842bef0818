import gzip

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from apps.front.compression import MIN_BYTES, CompressionMiddleware

PAGE = b"<p>soup</p>" * MIN_BYTES


def respond(response: HttpResponseBase, accepted: str) -> HttpResponseBase:
    request = RequestFactory().get("/", headers={"accept-encoding": accepted} if accepted else {})
    return CompressionMiddleware(lambda _: response)(request)


TAKEN = ["gzip", "gzip, deflate, br", "br;q=1, gzip;q=0.5", "GZIP, gzip", "GZIP, ,", "x-gzip", "*"]
REFUSED = ["", "br", "identity", "gzip;q=0", "gzip; q=0.0, br", "*, gzip ;Q=0.000"]


@pytest.mark.parametrize("accepted", TAKEN)
def test_a_page_is_compressed(accepted: str) -> None:
    answer = respond(HttpResponse(PAGE), accepted)
    assert isinstance(answer, HttpResponse)
    assert gzip.decompress(answer.content) == PAGE
    assert (answer["Content-Encoding"], answer["Vary"]) == ("gzip", "Accept-Encoding")
    assert answer["Content-Length"] == str(len(answer.content))


@pytest.mark.parametrize("accepted", REFUSED)
def test_who_takes_no_gzip_gets_the_page_as_it_is(accepted: str) -> None:
    answer = respond(HttpResponse(PAGE), accepted)
    assert isinstance(answer, HttpResponse)
    assert (answer.content, answer["Vary"]) == (PAGE, "Accept-Encoding")


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse(b"short"),
        HttpResponse(PAGE, content_type="image/webp"),
        HttpResponse(PAGE, headers={"Content-Encoding": "br"}),
        HttpResponse(PAGE, headers={"ETag": '"1"'}),
        StreamingHttpResponse([PAGE]),
    ],
)
def test_what_would_not_gain_stays(response: HttpResponseBase) -> None:
    before = dict(response.headers)
    assert dict(respond(response, "gzip").headers) == before
