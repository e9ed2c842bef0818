"""Those who send what no page sends: wrong ids, garbage, forged log-ins, wrong hosts, ends in the middle."""

import asyncio
from collections.abc import Mapping
from random import Random

from lab.campaign.soak.people import Traffic
from lab.campaign.web_client import json_body

#: No answer is waited for any longer.
PATIENCE = 15.0


def build_requests(port: int, sale: int, token: str, chance: Random) -> Mapping[str, bytes]:
    """What each kind of bad visitor sends on a connection, by its name."""
    number, forged, noise = chance.getrandbits(70), chance.randbytes(24).hex(), chance.randbytes(200)
    here = f"Host: 127.0.0.1:{port}"
    claim, json_type = f"POST /api/vouchers/{sale}/seckill", "Content-Type: application/json"

    def send(line: str, *fields: str, host: str = here, body: bytes = b"") -> bytes:
        counted = [f"Content-Length: {len(body)}"] if line.startswith("POST") else []
        return "\r\n".join([f"{line} HTTP/1.1", host, *counted, *fields, "", ""]).encode() + body

    guess = {"phone": "+8613900000001", "code": f"{number % 10**6:06d}"}
    stamps = (f"Payment-Timestamp: {number}", f"Payment-Signature: {forged}")
    return {
        "wrong id": send(f"GET /api/shops/x{number}"),
        "number too large": send(f"GET /api/notes/{10**20 + number}"),
        "row that isn't": send(f"GET /notes/{10**12 + number % 10**9}/"),
        "page that isn't": send(f"GET /wp-login-{number}.php"),
        "place made up": send(f"GET /api/search?q=tea&lat={number}&lng=x{number}"),
        "search of noise": send(f"GET /search/?q=%ff%00{number}&cursor={number}"),
        "garbage": noise + b"\r\n\r\n",
        "half a head": f"GET / HTTP/1.1\r\n{here}\r\nX-Half: ".encode(),
        "half a claim": send(claim, f"Authorization: Bearer {token}", body=b"{}       ")[:-5],
        "wrong host": send("GET /", host=f"Host: evil{number}.example"),
        "forged cookie": send("GET /me/", f"Cookie: savor_token={forged}; savor_visitor={number}"),
        "forged bearer": send("GET /api/me", f"Authorization: Bearer {forged}"),
        "claim without log-in": send(claim),
        "stranger in the admin": send("GET /admin/"),
        "form from elsewhere": send(f"POST /vouchers/{sale}/grab/", "Origin: https://evil.example"),
        "refused stream, then a request": send("GET /api/live", "Accept: text/event-stream")
        + send("GET /healthz"),
        "large head": send("GET /", f"X-Large: {'x' * 60_000}"),
        "body that is none": send("POST /api/auth/code", json_type, body=noise),
        "forged callback": send("POST /api/payments/sandbox/callback", *stamps, body=b"{}"),
        "wrong code": send("POST /api/auth/login", json_type, body=json_body(**guess)),
        "many at once": send("GET /healthz") * 40,
    }


async def act_badly(traffic: Traffic) -> None:
    """One bad visitor comes, sends, and goes, in the middle of the answer or after it."""
    await traffic.wait_turn()
    chance = traffic.chance
    kinds = build_requests(traffic.port, chance.choice(traffic.sales), chance.choice(traffic.tokens), chance)
    name, sent = chance.choice(list(kinds.items()))
    traffic.bad += 1
    try:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", traffic.port, local_addr=(traffic.source(), 0)
        )
    except OSError:
        traffic.answers["refused"] += 1
        return
    try:
        writer.write(sent)
        if chance.random() < 0.3:
            await asyncio.sleep(chance.random() / 10)
            traffic.answers["left"] += 1
            return
        async with asyncio.timeout(PATIENCE):
            line = await reader.readline()
        status = line[9:12].decode("latin-1") or "none"
        traffic.answers[f"bad {status}"] += 1
        if status == "500":
            traffic.errors.append(f"500 {name}")
    except (TimeoutError, OSError):
        traffic.answers["bad none"] += 1
    finally:
        writer.transport.abort()
