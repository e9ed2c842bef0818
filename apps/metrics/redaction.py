"""Takes out of a log line what must not be kept: tokens, log-in codes, phone numbers, passwords."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: What stands where something was taken out.
MARK = "[…]"
_RULES = (
    # Credentials in a URL: redis://user:pass@word@host, https://key@host.
    (re.compile(r"(?<=://)[^\s/?#\"'<>]+(?=@)"), MARK),
    # A value that says what it is: token=…, "password": "…", Authorization: Bearer …, code 123456.
    (
        re.compile(
            r"(?i)\b((?:[\w-]*(?:token|secret|password|passwd|api[_-]?key|authorization|cookie|session(?:id)?)"
            r"|(?:log-?in[ _-]?)?code|otp)[\"']?\s*(?:[:=]|is|\s)\s*[\"']?(?:bearer\s+|basic\s+)?)"
            r"(?=[^\s\"',;]*\d)[^\s\"',;&)]{4,}"
        ),
        rf"\1{MARK}",
    ),
    (
        re.compile(r"(?i)\b([\w-]*(?:password|passwd|secret)[\"']?\s*[:=]\s*[\"']?)[^\s\"',;&)]+"),
        rf"\1{MARK}",
    ),
    # The codes of messages: 验证码是 123456, 123456 is your code.
    (re.compile(r"((?:验证码|校验码|动态码|密码|口令)\s*(?:是|为|[:：])?\s*)\d{4,8}(?!\d)"), rf"\1{MARK}"),
    (re.compile(r"(?i)(?<![\w.])\d{4,8}(?=\s+is your\b)"), MARK),
    (re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}"), rf"\1{MARK}"),
    # Phone numbers: E.164, or Chinese mobile numbers without the country.
    (re.compile(r"(?<![\w.])\+\d[\d\s-]{7,16}\d(?!\w)"), MARK),
    (re.compile(r"(?<![\w.])1[3-9]\d{9}(?!\w)"), MARK),
    # Random text as tokens are: long, of letters and digits mixed.
    (
        re.compile(
            r"(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])(?=[\w-]*[A-Z]|[0-9a-f]{32})[\w-]{32,}(?![\w/.])"
        ),
        MARK,
    ),
)


#: What this thread must write to no line, whatever stands around it: the log-in code that is being sent.
_hidden: ContextVar[tuple[str, ...]] = ContextVar("hidden", default=())


@contextmanager
def hiding(*secrets: str) -> Iterator[None]:
    """Keep these texts out of every line that this thread writes in a `with` block, whoever writes it."""
    token = _hidden.set((*_hidden.get(), *secrets))
    try:
        yield
    finally:
        _hidden.reset(token)


def hide(text: str) -> str:
    """The text without what is being hidden now: for lines that are redacted later, elsewhere."""
    for secret in _hidden.get():
        text = text.replace(secret, MARK)
    return text


def redact(text: str) -> str:
    """The text without any of them."""
    text = hide(text)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
