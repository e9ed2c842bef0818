"""Draws the pictures of docs/architecture.md from the import contract, the Procfile and the code.

`make pictures` runs it. A step of a path names the function that does it; one that is gone stops the drawing.
The floors in CONTRIBUTING.md come from the same contract, and so do the apps in architecture.md, each with
the first line of its package. `tests/checks/test_documents.py` compares what is written with what would be
drawn now.
"""

import ast
import re
import shlex
import tomllib
from collections.abc import Iterable
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
#: The list of floors in CONTRIBUTING.md stands between these two lines.
FLOORS_BEGIN, FLOORS_END = "<!-- floors: make pictures -->\n", "<!-- /floors -->"
#: The list of apps in architecture.md stands between these two.
APPS_BEGIN, APPS_END = "<!-- apps: make pictures -->\n", "<!-- /apps -->"
WIDTH, ROW, GAP = 760, 44, 12
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#2b2320}.small{font-size:12px;fill:#6b5f59}"
    "rect{fill:#fff7f0;stroke:#d9c3b4}.line{stroke:#b5651d;stroke-width:1.5;fill:none}"
    "@media(prefers-color-scheme:dark){text{fill:#f3e9e2}.small{fill:#b9aaa1}rect{fill:#2b2320;stroke:#6b5247}}"
)
#: What each process of the Procfile does, and what it talks to.
PROCESSES = {
    "web": "pages, API, claims and live streams; Redis, SQL",
    "consumer": "accepted orders become rows; Redis stream to SQL",
    "mover": "hands delayed jobs to the workers when they are due; Redis",
    "worker": "Celery tasks: messages, refunds, fan-out, repairs; Redis, SQL",
    "beat": "starts the scheduled tasks; Redis",
}
CLAIM = [
    (
        "apps/front/protocol.py",
        "on_message",
        "has the message from uvicorn's parser, and asks the routes",
    ),
    (
        "apps/coupons/gateway/claim_requests.py",
        "read",
        "log-in, voucher, request token; host, scheme and origin are checked",
    ),
    ("apps/redis_kit/batching.py", "submit_to", "joins the batch of this tick"),
    ("apps/coupons/gateway/admission.py", "admit", "one exchange with Redis for the batch"),
    (
        "apps/coupons/claims/lua/claim.lua",
        "XADD",
        "window, limit of a person, stock; accepted orders enter the stream",
    ),
    (
        "apps/coupons/gateway/claim_answers.py",
        "fill_accepted",
        "201 with the order id and a receipt, headers as Django would give",
    ),
    ("apps/coupons/orders/consuming.py", "serve", "the consumer reads a batch of the stream"),
    ("apps/coupons/orders/recording.py", "record", "one transaction: rows, stock, messages"),
    (
        "apps/coupons/orders/closing.py",
        "schedule_after_commit",
        "unpaid after 15 minutes: cancelled, unit returned",
    ),
]
PAGE = [
    (
        "apps/front/connection.py",
        "on_headers_complete",
        "bounds the head in size and time",
    ),
    ("apps/front/wsgi_bridge.py", "__call__", "reads the body, then takes a thread"),
    ("apps/accounts/middleware.py", "TokenMiddleware", "the session cookie names the person"),
    ("apps/shops/views.py", "detail", "reads its input, calls one verb"),
    ("apps/shops/shop_cache.py", "get", "the shop from Redis, else from SQL under a lease"),
    (
        "apps/web/page_parts.py",
        "page_part",
        "the template names vouchers, notes, buttons: tags of their apps",
    ),
    ("apps/uv/middleware.py", "VisitMiddleware", "counts the view after the answer is on its way"),
]


def main() -> None:
    for path, text in documents().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def documents() -> dict[Path, str]:
    """What each drawn file holds; raises LookupError on a step that the code lacks."""
    listed = "".join(f"    {floor}\n" for floor in ["config", *floors()])
    return {
        PICTURES / "floors.svg": _stack(_floors()),
        PICTURES / "processes.svg": _stack(_processes()),
        PICTURES / "claim.svg": _path(CLAIM),
        PICTURES / "page.svg": _path(PAGE),
        CONTRIBUTING: _fill(CONTRIBUTING, FLOORS_BEGIN, listed, FLOORS_END),
        ARCHITECTURE: _fill(ARCHITECTURE, APPS_BEGIN, _apps(), APPS_END),
    }


def _fill(page: Path, begin: str, text: str, end: str) -> str:
    """The page's text with this one between its two marks."""
    before, found, rest = page.read_text().partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise LookupError(f"{page} has lost the mark {begin.strip()} or {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def floors() -> list[str]:
    """The layers of the import contract, top to bottom, as pyproject.toml has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(one["layers"] for one in contracts if one.get("containers") == ["apps"])
    return layers


def _apps() -> str:
    """A line for each app, from the highest floor to the lowest, with an empty line between floors."""
    lines = [
        "\n".join(f"    {app + '/':12} {_about(app)}" for app in floor.split(" | ")) for floor in floors()
    ]
    return "\n\n".join(lines) + "\n"


def _about(app: str) -> str:
    """The first line of a package's docstring."""
    about = ast.get_docstring(ast.parse((ROOT / "apps" / app / "__init__.py").read_text()))
    if not about:
        raise LookupError(f"apps/{app}/__init__.py says nothing: it needs a docstring of a line")
    return about.partition("\n")[0]


def _floors() -> list[tuple[str, str]]:
    return [
        ("config", "settings, URLs, ASGI and Celery: configuration only"),
        *((layer, "") for layer in floors()),
    ]


def _processes() -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in (ROOT / "Procfile").read_text().splitlines() if line)
    found = {name: shlex.split(command) for name, _, command in lines}
    if found.keys() != PROCESSES.keys():
        raise LookupError(f"the Procfile has {sorted(found)}, the picture {sorted(PROCESSES)}")
    return [(name, PROCESSES[name]) for name in found]


def _stack(rows: Iterable[tuple[str, str]]) -> str:
    """Boxes below one another, each with its name and what it is for."""
    boxes, top = [], GAP
    for name, about in rows:
        boxes.append(f'<rect x="{GAP}" y="{top}" width="{WIDTH - 2 * GAP}" height="{ROW}" rx="8"/>')
        boxes.append(f'<text x="28" y="{top + 27}">{escape(name)}</text>')
        boxes.append(f'<text class="small" x="250" y="{top + 27}">{escape(about)}</text>')
        top += ROW + GAP
    return _svg(boxes, top)


def _path(steps: Iterable[tuple[str, str, str]]) -> str:
    """Boxes joined by arrows: where a request comes by, and what happens there."""
    boxes, top = [], GAP
    for file, function, about in steps:
        _require(file, function)
        place = f"{file.removeprefix('apps/')}: {function}"
        if top > GAP:
            boxes.append(f'<path class="line" d="M40 {top - GAP}v{GAP}"/>')
        boxes.append(f'<rect x="{GAP}" y="{top}" width="{WIDTH - 2 * GAP}" height="{ROW + 8}" rx="8"/>')
        boxes.append(f'<text x="28" y="{top + 22}">{escape(about)}</text>')
        boxes.append(f'<text class="small" x="28" y="{top + 42}">{escape(place)}</text>')
        top += ROW + 8 + GAP
    return _svg(boxes, top)


def _require(file: str, function: str) -> None:
    text = (ROOT / file).read_text()
    pattern = rf"\b{function}\b" if file.endswith(".lua") else rf"^ *(?:async )?(?:def|class) {function}\b"
    if not re.search(pattern, text, re.MULTILINE):
        raise LookupError(f"{file} has no {function}")


def _svg(parts: Iterable[str], height: int) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
