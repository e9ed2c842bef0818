"""Somebody else who looks around while everybody presses: other pages have to answer meanwhile."""

import http.client
import itertools
import threading
import time
from urllib.parse import urlsplit

from tests.crowd import agents, people
from tests.crowd.tally import Tally

#: Shared pages, and one that Django makes for the person.
PATHS = ("/", "/sales/", "/notes/", "/orders/", "/shops/", "/api/shops")
#: Nobody else's, since limits count by address.
SOURCE_ADDRESS = "127.0.1.1"
#: Seconds between two requests, and until an answer counts as none.
PAUSE_SECONDS, ANSWER_SECONDS = 0.2, 15.0


class OtherPages:
    """Asks for other pages in a thread, from `start` until `stop`; `tally` counts the answers."""

    def __init__(self, base_url: str, token: str) -> None:
        self.tally = Tally()
        self._address, self._token = urlsplit(base_url).netloc, token
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look_around, daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def stop(self) -> None:
        """Ask no more, and wait for the last answer."""
        self._stopped.set()
        self._thread.join()

    def _look_around(self) -> None:
        headers = {
            "User-Agent": agents.BROWSERS[0].agent,
            "Cookie": f"{people.TOKEN_COOKIE}={self._token}",
            "Sec-Fetch-Site": "none",
        }
        for path in itertools.cycle(PATHS):
            began = time.perf_counter()
            code = self._status(path, headers)
            self.tally.add(code, time.perf_counter() - began)
            if self._stopped.wait(PAUSE_SECONDS):
                return

    def _status(self, path: str, headers: dict[str, str]) -> str:
        line = http.client.HTTPConnection(
            self._address, timeout=ANSWER_SECONDS, source_address=(SOURCE_ADDRESS, 0)
        )
        try:
            line.request("GET", path, headers=headers)
            answer = line.getresponse()
            answer.read()
        except OSError as error:
            return f"{path}: {type(error).__name__}"
        finally:
            line.close()
        return "200" if answer.status == 200 else f"{path}: {answer.status}"
