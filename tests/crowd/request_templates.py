"""Requests as text with blanks that a person, a sale and a turn fill in, for wrk's script and for Python."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from apps.uv import visitor_values

#: Characters of each Idempotency-Key and request token, so that bodies with one have a known length.
KEY_LENGTH = 24
BLANK = re.compile(r"<<(\w+)>>")
#: What each blank stands for; `host` is filled in once, the others in each request.
BLANKS = ("host", "sale", "token", "visitor", "person", "id", "key")
#: Characters of the id of one request.
ID_LENGTH = 16
#: The second in which the browsers got their visitor cookies.
GIVEN_AT = 0x69000000
#: Between two templates of a file.
SEPARATOR = "\x1e"


@dataclass(frozen=True)
class RequestTemplate:
    """One request with blanks such as <<token>> in its path, its headers and its body."""

    method: str
    path: str
    headers: Sequence[tuple[str, str]]
    body: str = ""

    def text(self) -> str:
        """Return the request's head and body, with blanks; only a body's key may be a blank."""
        length = len(BLANK.sub("k" * KEY_LENGTH, self.body))
        counted = [("Content-Length", str(length))] if self.method != "GET" else []
        lines = [("Host", "<<host>>"), *counted, *self.headers]
        head = "".join(f"{name}: {value}\r\n" for name, value in lines)
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n{self.body}"

    def fill(
        self, host: str, *, token: str, sale: int = 0, person: int = 0, turn: int = 0, key: str = ""
    ) -> bytes:
        """Return the bytes of one person's request."""
        number = hashlib.blake2s(f"{person} {turn}".encode(), digest_size=ID_LENGTH // 2).hexdigest()
        values = {
            "host": host,
            "sale": str(sale),
            "token": token,
            "visitor": visitor(token),
            "person": str(person),
            "id": number,
            "key": key or request_key("", turn),
        }
        return BLANK.sub(lambda blank: values[blank[1]], self.text()).encode()


#: What one kind of person sends, in this order; a crowd has many kinds, and people are spread over them.
Kind = tuple[RequestTemplate, ...]
Crowd = tuple[Kind, ...]


def request_key(prefix: str, number: int) -> str:
    """Return the key of a request: a prefix and a number, always as long."""
    return f"{prefix}{number:0{KEY_LENGTH - len(prefix)}d}"


@lru_cache(100_000)
def visitor(token: str) -> str:
    """Return a visitor cookie as the site has set it: a forged one would be replaced at each request."""
    return visitor_values.build(token[:22], GIVEN_AT)


def to_file(crowd: Crowd, host: str) -> str:
    """Return the crowd as wrk's script reads it: the number of each kind's requests, then all of them."""
    texts = [template.text().replace("<<host>>", host) for kind in crowd for template in kind]
    return SEPARATOR.join([str(len(crowd[0])), *texts])
