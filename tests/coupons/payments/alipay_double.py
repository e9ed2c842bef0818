"""Alipay's gateway on loopback: it checks our signatures, and signs its documented answers and callbacks."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from Cryptodome.Hash import SHA256
from Cryptodome.PublicKey import RSA
from Cryptodome.PublicKey.RSA import RsaKey
from Cryptodome.Signature import pkcs1_15

from tests import http_double
from tests.http_double import Answer, Double, Received

APP_ID = "2021000000000001"


@cache
def make_key(owner: str) -> RsaKey:
    """The key of the app or of Alipay, for all tests; short, since making one takes time."""
    return RSA.generate(1024)


def write_keys(directory: Path) -> tuple[Path, Path]:
    """The files of the app's private key and of Alipay's public one."""
    private, public = directory / "app.pem", directory / "alipay.pem"
    private.write_bytes(make_key("app").export_key())
    public.write_bytes(make_key("alipay").public_key().export_key())
    return private, public


def sign(text: str, owner: str = "alipay") -> str:
    return base64.b64encode(pkcs1_15.new(make_key(owner)).sign(SHA256.new(text.encode()))).decode()


def sign_form(fields: dict[str, str], owner: str = "alipay") -> bytes:
    """A callback's body: sign_type is sent and not signed."""
    text = "&".join(f"{name}={value}" for name, value in sorted(fields.items()))
    return urlencode(fields | {"sign": sign(text, owner), "sign_type": "RSA2"}).encode()


def read_signed(query: str) -> dict[str, str]:
    """The parameters of a request of ours, if the app has signed them; else ValueError."""
    fields = dict(parse_qsl(query, keep_blank_values=True))
    signature = base64.b64decode(fields.pop("sign"))
    text = "&".join(f"{name}={value}" for name, value in sorted(fields.items()))
    pkcs1_15.new(make_key("app")).verify(SHA256.new(text.encode()), signature)
    return fields


class AlipayDouble:
    """Trades by our reference: state and amount; `fault` is the answer to every call while it is set."""

    def __init__(self, server: Double) -> None:
        self.server, server.answer = server, self._answer
        self.trades: dict[str, tuple[str, str]] = {}
        self.refunds: dict[str, str] = {}
        self.calls: list[dict[str, str]] = []
        self.fault: Answer | None = None

    def open(self, url: str, state: str = "TRADE_SUCCESS") -> dict[str, str]:
        """The buyer opens the signed page and pays, or doesn't; the parameters of the page."""
        fields = read_signed(urlsplit(url).query)
        content: dict[str, str] = json.loads(fields["biz_content"])
        self.trades[content["out_trade_no"]] = (state, content["total_amount"])
        return fields | content

    def callback(self, reference: str, owner: str = "alipay", **changes: str) -> bytes:
        """A signed callback about a trade."""
        state, amount = self.trades[reference]
        fields = {
            "app_id": APP_ID,
            "notify_time": "2026-11-26 10:00:00",
            "notify_type": "trade_status_sync",
            "out_trade_no": reference,
            "subject": "面 & noodles",
            "total_amount": amount,
            "trade_no": "2026112622001",
            "trade_status": state,
        }
        return sign_form(fields | changes, owner)

    def _answer(self, request: Received) -> Answer:
        if self.fault:
            return self.fault
        fields = read_signed(urlsplit(request.path).query)
        self.calls.append(fields)
        content = json.loads(fields["biz_content"])
        reference, method = content["out_trade_no"], fields["method"]
        if reference not in self.trades:
            return self.say(method, {"code": "40004", "msg": "Failed", "sub_code": "ACQ.TRADE_NOT_EXIST"})
        if method == "alipay.trade.refund":
            is_new = content["out_request_no"] not in self.refunds
            self.refunds[content["out_request_no"]] = content["refund_amount"]
            return self.say(method, {"code": "10000", "fund_change": "Y" if is_new else "N"})
        state, amount = self.trades[reference]
        about = {"out_trade_no": reference, "trade_status": state, "total_amount": amount}
        return self.say(method, {"code": "10000", "msg": "Success"} | about)

    def say(self, method: str, content: dict[str, str], owner: str = "alipay") -> Answer:
        """A signed answer of the gateway."""
        text = json.dumps(content, separators=(",", ":"))
        name = f"{method.replace('.', '_')}_response"
        return Answer(200, f'{{"{name}":{text},"sign":"{sign(text, owner)}"}}'.encode())


@contextmanager
def serve() -> Iterator[AlipayDouble]:
    """The double until the block ends."""
    with http_double.serve() as server:
        yield AlipayDouble(server)
