"""How soon a note is found after it is saved, on a site with its real web process and Celery worker."""

import io
import json
import statistics
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from PIL import Image

from tests.crowd import site_setup
from tests.sites import Site, wait_until

#: Seconds between two looks: the error of a figure.
LOOK_EVERY = 0.01
JSON = "application/json"


def measure(count: int) -> str:
    """A sentence with the seconds from the answer to POST /api/notes until GET /api/search has the note."""
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as name, Site(Path(name)) as site:
        site.manage("seed_demo", "--shops", "60", "--verbosity", "0")
        site.start("web", "worker")
        first, *people = site_setup.create_people(site, count + 1)
        # The worker starts meanwhile.
        _wait(site, first, count)
        waits = [_wait(site, token, number) for number, token in enumerate(people)]
    found = f"median {statistics.median(waits):.2f} s, slowest {max(waits):.2f} s"
    return f"A saved note is found (web, Celery worker, {count} notes one after the other): {found}."


def _wait(site: Site, token: str, number: int) -> float:
    word = f"zyxword{number}"
    body = {
        "shop_id": _call(site, token, "/api/shops")["items"][0]["id"],
        "title": f"Dumplings {word}",
        "text": f"They were {word} indeed.",
        "rating": 5,
        "photo_ids": [_send_photo(site, token)],
        "publish": True,
    }
    _call(site, token, "/api/notes", json.dumps(body).encode())
    saved = time.perf_counter()
    path = f"/api/search?kind=notes&q={word}"
    wait_until(lambda: _call(site, token, path)["items"], seconds=60, every=LOOK_EVERY)
    return time.perf_counter() - saved


def _send_photo(site: Site, token: str) -> str:
    drawn = io.BytesIO()
    Image.new("RGB", (800, 600), "tomato").save(drawn, "JPEG")
    form = {"photo": SimpleUploadedFile("dish.jpg", drawn.getvalue(), "image/jpeg")}
    return str(_call(site, token, "/api/photos", encode_multipart(BOUNDARY, form), MULTIPART_CONTENT)["id"])


def _call(site: Site, token: str, path: str, body: bytes | None = None, kind: str = JSON) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    with urllib.request.urlopen(urllib.request.Request(site.base_url + path, body, headers)) as answer:
        return json.load(answer)
