"""Other people of the running site, who act through its JSON API while a browser looks on."""

import json
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tests import sites

TIMEOUT_SECONDS = 60


class Neighbour:
    """Somebody who is logged in to the API; `id` is their number, `token` logs their browser in too."""

    def __init__(self, site: sites.Site, phone: str) -> None:
        self._site, self.token = site, ""
        sent = self.send("POST", "/api/auth/code", phone=phone)
        entered = self.send(
            "POST", "/api/auth/login", phone=phone, code=sent["debug_code"], request=sent["request"]
        )
        self.id: int = entered["user"]["id"]
        self.token = str(entered["token"])

    def send(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        """Send a request with a JSON body; return the answer's, {} for none. HTTPError from status 400 on."""
        answer = self._request(method, path, json.dumps(body).encode(), "application/json")
        return dict(json.loads(answer or "{}"))

    def press(self, path: str, **fields: str) -> None:
        """Send a form of one of the site's pages."""
        self._request("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def read(self, path: str) -> str:
        """Return a page's HTML."""
        return self._request("GET", path, None, "").decode()

    def _request(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        request = Request(f"{self._site.base_url}{path}", body, method=method)  # noqa: S310 - the site's own
        request.add_header("Content-Type", kind)
        request.add_header("Sec-Fetch-Site", "same-origin")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
            request.add_header("Cookie", f"savor_token={self.token}")
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
            return bytes(answer.read())
