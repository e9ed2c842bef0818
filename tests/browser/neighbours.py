"""Other people of the running site, who act through its JSON API while a browser looks on."""

import json
from typing import Any
from urllib.request import Request, urlopen

from tests import sites

TIMEOUT_SECONDS = 60


class Neighbour:
    """Somebody who is logged in to the API; `id` is their number."""

    def __init__(self, site: sites.Site, phone: str) -> None:
        self._site, self._token = site, ""
        code = self.send("POST", "/api/auth/code", phone=phone)["debug_code"]
        entered = self.send("POST", "/api/auth/login", phone=phone, code=code)
        self.id: int = entered["user"]["id"]
        self._token = entered["token"]

    def send(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        """Send a request with a JSON body; return the answer's, {} for none. HTTPError from status 400 on."""
        request = Request(f"{self._site.base_url}{path}", json.dumps(body).encode(), method=method)  # noqa: S310 - the site's own
        request.add_header("Content-Type", "application/json")
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
            return dict(json.loads(answer.read() or "{}"))
