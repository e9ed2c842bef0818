"""Headers of browsers, apps and scripts as they send them; each person keeps to one of these."""

from dataclasses import dataclass

Headers = list[tuple[str, str]]

LANGUAGES = (
    "en-GB,en;q=0.9",
    "zh-CN,zh;q=0.9,en;q=0.8",
    "en-US,en;q=0.5",
    "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7",
    "zh-TW,zh;q=0.9",
)
#: What the site and its neighbours leave in a browser; the token is the log-in.
COOKIES = (
    "savor_visitor=<<visitor>>; {token}=<<token>>",
    "_ga=GA1.1.<<person>>.1763880000; savor_visitor=<<visitor>>; {token}=<<token>>; django_language=en",
    "{token}=<<token>>; theme=dark; savor_visitor=<<visitor>>",
    "savor_visitor=<<visitor>>; _ga=GA1.1.<<person>>.1763881234; {token}=<<token>>; consent=1.<<person>>",
)
VISITOR_COOKIES = ("savor_visitor=<<visitor>>", "_ga=GA1.1.<<person>>.1763880000; savor_visitor=<<visitor>>")


@dataclass(frozen=True)
class Visitor:
    """What one person's browser sends in each request."""

    language: str
    cookie: str
    referer: str


@dataclass(frozen=True)
class Browser:
    """A browser: its User-Agent, its client hints, and what it says of itself in each request."""

    agent: str
    hints: tuple[tuple[str, str], ...] = ()
    more: tuple[tuple[str, str], ...] = ()
    encodings: str = "gzip, deflate, br, zstd"

    def navigation(self, visitor: Visitor) -> Headers:
        """Headers of a page that somebody opens by a link."""
        accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        return [
            ("Connection", "keep-alive"),
            *self.hints,
            ("Upgrade-Insecure-Requests", "1"),
            ("User-Agent", self.agent),
            ("Accept", accept),
            *_fetch_metadata("navigate", "document"),
            ("Sec-Fetch-User", "?1"),
            ("Referer", visitor.referer),
            *self._ending(visitor),
        ]

    def form(self, visitor: Visitor) -> Headers:
        """Headers of a form that is sent without JavaScript."""
        kind = ("Content-Type", "application/x-www-form-urlencoded")
        origin = ("Origin", "http://<<host>>")
        return [kind, origin, *self.navigation(visitor)]

    def fetch(self, visitor: Visitor, *, sends_json: bool = False) -> Headers:
        """Headers of a page's fetch(), with the Origin when it sends something."""
        kind = [("Content-Type", "application/json"), ("Origin", "http://<<host>>")] if sends_json else []
        return [
            ("Connection", "keep-alive"),
            *self.hints,
            ("User-Agent", self.agent),
            *kind,
            ("Accept", "*/*"),
            *_fetch_metadata("cors", "empty"),
            ("Referer", visitor.referer),
            *self._ending(visitor),
        ]

    def _ending(self, visitor: Visitor) -> Headers:
        language, cookie = ("Accept-Language", visitor.language), ("Cookie", visitor.cookie)
        return [("Accept-Encoding", self.encodings), language, cookie, *self.more]


def _fetch_metadata(mode: str, destination: str) -> Headers:
    return [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]


def _hints(brand: str, version: int, platform: str, *, mobile: bool = False) -> tuple[tuple[str, str], ...]:
    brands = f'"{brand}";v="{version}", "Chromium";v="{version}", "Not_A Brand";v="24"'
    return (
        ("sec-ch-ua", brands),
        ("sec-ch-ua-mobile", f"?{mobile:d}"),
        ("sec-ch-ua-platform", f'"{platform}"'),
    )


BROWSERS = (
    Browser(
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
        "Safari/537.36",
        _hints("Google Chrome", 142, "Windows"),
    ),
    Browser(
        "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        more=(("DNT", "1"), ("Sec-GPC", "1"), ("Priority", "u=0, i")),
    ),
    Browser(
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/26.1 Safari/605.1.15",
        more=(("Priority", "u=3, i"),),
        encodings="gzip, deflate, br",
    ),
    Browser(
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/26.1 Mobile/15E148 Safari/604.1",
        more=(("Priority", "u=0, i"),),
        encodings="gzip, deflate, br",
    ),
    Browser(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile "
        "Safari/537.36",
        _hints("Android WebView", 142, "Android", mobile=True),
        more=(("X-Requested-With", "com.example.chat"),),
    ),
)
#: Apps, with a trace of each request; scripts, which say little.
APPS: tuple[Headers, ...] = (
    [
        ("User-Agent", "okhttp/5.3.0"),
        ("Accept", "application/json"),
        ("Accept-Encoding", "gzip"),
        ("X-Request-Id", "<<id>>"),
        ("Connection", "Keep-Alive"),
    ],
    [
        ("User-Agent", "Savor/3.2 (build:118; iOS 26.1.0) Alamofire/5.10.2"),
        ("Accept-Encoding", "br;q=1.0, gzip;q=0.9, deflate;q=0.8"),
        ("traceparent", "00-<<id>><<id>>-<<id>>-01"),
        ("X-Device-Id", "<<visitor>>"),
    ],
    [
        ("user-agent", "Dart/3.10 (dart:io)"),
        ("accept-encoding", "gzip"),
        ("x-request-id", "<<id>>"),
        ("x-app-version", "3.2.118"),
    ],
)
SCRIPTS: tuple[Headers, ...] = (
    [("User-Agent", "curl/8.17.0"), ("Accept", "*/*")],
    [
        ("User-Agent", "python-requests/2.32.5"),
        ("Accept-Encoding", "gzip, deflate"),
        ("Accept", "*/*"),
        ("Connection", "keep-alive"),
    ],
    [("User-Agent", "Go-http-client/1.1"), ("Accept-Encoding", "gzip"), ("X-Request-Id", "<<id>>")],
)
