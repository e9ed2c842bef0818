"""Times a page from a process of its own: python -m lab.bench.chats.page_times URL SECONDS."""

import http.client
import statistics
import sys
import time
from urllib.parse import urlsplit

#: Seconds between two requests: the page is looked at, and the server is not loaded by it.
PAUSE_SECONDS = 0.02


def measure(url: str, seconds: float) -> float:
    """The median milliseconds of a page over one connection."""
    parts, spent = urlsplit(url), list[float]()
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        began = time.perf_counter()
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        spent.append((time.perf_counter() - began) * 1e3)
        time.sleep(PAUSE_SECONDS)
    return statistics.median(spent)


if __name__ == "__main__":
    print(measure(sys.argv[1], float(sys.argv[2])))
