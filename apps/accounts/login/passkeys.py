"""Passkeys: a device signs a challenge of the site, and a right signature logs in without a code.

A person adds one once they have logged in by phone. The device verifies them (fingerprint, face, PIN) each
time. A challenge is in Redis for its holder alone (a log-in, or the browser that asked), and answered once.
"""

import json
import logging
import re
import secrets
from datetime import timedelta
from functools import cache
from importlib import import_module
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import keys, limits
from apps.accounts.login import logins
from apps.accounts.login.logins import Device, LoggedIn
from apps.accounts.models import Passkey, User, describe_user_agent
from apps.accounts.sessions import tokens
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.redis_kit import client
from apps.web.problems import Problem

#: A person needs one for each of their devices.
MAX_PASSKEYS = 20
#: Time to find the finger, or the other device.
CHALLENGE_TTL = timedelta(minutes=5)
CHALLENGE_BYTES = 32
#: Characters of a browser's answer at most: one with a chain of certificates has some thousand.
MAX_ANSWER_LENGTH = 32_768
#: EdDSA, ECDSA and RSA with SHA-256: what all devices have one of, and py_webauthn verifies.
ALGORITHMS = (-8, -7, -257)
#: The signed cookie in which a browser keeps which challenge is its own.
HOLDER_COOKIE = f"{settings.HOST_COOKIE_PREFIX}savor_passkey"
_HOLDER_SALT = "accounts.passkey"
_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,1364}")
logger = logging.getLogger(__name__)

Options = dict[str, Any]


def require_on() -> None:
    """Http404 where the operator hasn't turned passkeys on."""
    if not settings.LOGIN_PASSKEYS:
        raise Http404


def find_rp_id(host: str) -> str:
    """The name to which passkeys of a request's host belong; "" for an address: browsers make none for it."""
    name = split_domain_port(host)[0]
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return name
    return ""


def list_own(user: User) -> list[Passkey]:
    """A person's passkeys, the newest first."""
    return list(Passkey.objects.filter(user=user).order_by("-pk"))


def begin_adding(user: User, host: str, *, token_id: int) -> Options:
    """What navigator.credentials.create needs for one passkey more; Problem 409 too_many_passkeys, 429."""
    limits.charge_new_passkey(user.pk)
    mine = list_own(user)
    _require_room(len(mine))
    return {
        "rp": {"id": find_rp_id(host), "name": settings.SITE_NAME},
        # The id is in the address of the person's page; phone numbers have no business in a passkey.
        "user": {"id": _encode(_user_handle(user.pk)), "name": user.nickname, "displayName": user.nickname},
        "challenge": new_challenge(_adding_holder(token_id)),
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in ALGORITHMS],
        "excludeCredentials": [{"type": "public-key", "id": known.credential_id} for known in mine],
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": True,
            "userVerification": "required",
        },
        "attestation": "none",
        "timeout": CHALLENGE_TTL // timedelta(milliseconds=1),
    }


def add(user: User, credential: str, *, origin: str, token_id: int, user_agent: str) -> Passkey:
    """The person's new passkey, by the browser's answer; the person gets a text message about it.

    `origin` and `token_id` are those of the request. Problem 400 wrong_passkey, 409 too_many_passkeys.
    """
    challenge = take_challenge(_adding_holder(token_id))
    made = _verify("verify_registration_response", _parse(credential), challenge, origin)
    try:
        with transaction.atomic():
            # One after another: two requests at once don't both find the last place free.
            User.objects.select_for_update().get(pk=user.pk)
            _require_room(Passkey.objects.filter(user=user).count())
            passkey = Passkey.objects.create(
                user=user,
                credential_id=_encode(made.credential_id),
                public_key=made.credential_public_key,
                sign_count=made.sign_count,
                device=describe_user_agent(user_agent),
            )
            text = _(
                "%(site)s: your account has a new passkey. If that wasn't you, remove it under Me, Passkeys."
            )
            message = text % {"site": settings.SITE_NAME}
            outbox.post(channel=Channel.SMS, to=user.phone, text=message, key=f"passkey-added:{uuid4()}")
    except IntegrityError:
        raise wrong_passkey() from None
    return passkey


def find_own(user: User, passkey_id: int) -> Passkey:
    """One of a person's passkeys; Problem 404 when it is not theirs."""
    found = Passkey.objects.filter(user=user, pk=passkey_id).first()
    if found is None:
        raise Problem(404, "not_found")
    return found


def begin_log_in(host: str, *, ip: str) -> tuple[str, Options]:
    """(holder, what navigator.credentials.get needs) for any passkey of this host; Problem 429."""
    limits.charge_check(ip=ip, is_guess=False)
    holder = secrets.token_urlsafe(16)
    return holder, {
        "rpId": find_rp_id(host),
        "challenge": new_challenge(holder),
        "userVerification": "required",
        "allowCredentials": [],
        "timeout": CHALLENGE_TTL // timedelta(milliseconds=1),
    }


def log_in(credential: str, *, holder: str, origin: str, device: Device, old_token: str = "") -> LoggedIn:
    """The user and a new raw token for what a passkey has signed; `holder` is that of begin_log_in.

    Problem 400 wrong_passkey, the same for an unknown passkey and for a wrong signature; 403 disabled. As in
    logins.log_in, `old_token` is revoked.
    """
    challenge, answer = take_challenge(holder), _parse(credential)
    with transaction.atomic():
        # Locked: of two answers with the same count the second is refused.
        known = Passkey.objects.select_for_update().filter(credential_id=answer["id"]).first()
        if known is None or not _names_owner(answer, known):
            raise wrong_passkey()
        signed = _verify(
            "verify_authentication_response",
            answer,
            challenge,
            origin,
            credential_public_key=bytes(known.public_key),
            credential_current_sign_count=known.sign_count,
        )
        known.sign_count, known.last_used_at = signed.new_sign_count, timezone.now()
        known.save(update_fields=["sign_count", "last_used_at"])
        user = User.objects.get(pk=known.user_id)
        return logins.log_in_proven(user, device=device, old_token=old_token)


def wrong_passkey() -> Problem:
    return Problem(
        400, "wrong_passkey", _("This passkey doesn't work here. Try again, or use your phone number.")
    )


def new_challenge(holder: str) -> str:
    """New random bytes in base64url for the holder, whose older ones no longer count."""
    challenge = secrets.token_urlsafe(CHALLENGE_BYTES)
    client.get().set(_challenge_key(holder), challenge, ex=CHALLENGE_TTL)
    return challenge


def take_challenge(holder: str) -> bytes:
    """The bytes of the holder's challenge, and never a second time; Problem 400 wrong_passkey without one."""
    found = client.get().getdel(_challenge_key(holder)) if holder else None
    if not found:
        raise wrong_passkey()
    decoded: bytes = _webauthn().base64url_to_bytes(str(found))
    return decoded


def _challenge_key(holder: str) -> str:
    return keys.PASSKEY_CHALLENGE(holder=tokens.digest(holder))


def _adding_holder(token_id: int) -> str:
    # A space: never the form of a browser's holder, which then can't answer for a log-in or the reverse.
    return f"log-in {token_id}"


def _require_room(count: int) -> None:
    if count >= MAX_PASSKEYS:
        text = _("You have %(count)d passkeys. Remove one that you don't need any more.")
        raise Problem(409, "too_many_passkeys", text % {"count": MAX_PASSKEYS})


def _parse(credential: str) -> dict[str, Any]:
    """The browser's answer with the id of a passkey; Problem 400 wrong_passkey."""
    try:
        answer = json.loads(credential) if len(credential) <= MAX_ANSWER_LENGTH else None
    except (ValueError, RecursionError):
        raise wrong_passkey() from None
    if not isinstance(answer, dict):
        raise wrong_passkey()
    if not (isinstance(named := answer.get("id"), str) and _ID_PATTERN.fullmatch(named)):
        raise wrong_passkey()
    return answer


def _names_owner(answer: dict[str, Any], known: Passkey) -> bool:
    """Whether the device names the person of this passkey, as it must where nobody typed who they are."""
    response = answer.get("response")
    handle = response.get("userHandle") if isinstance(response, dict) else None
    return handle == _encode(_user_handle(known.user_id))


def _verify(verifier: str, answer: dict[str, Any], challenge: bytes, origin: str, **known: Any) -> Any:
    """What py_webauthn's function says of an answer that is right; Problem 400 wrong_passkey."""
    try:
        return getattr(_webauthn(), verifier)(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=find_rp_id(urlsplit(origin).netloc),
            expected_origin=origin,
            require_user_verification=True,
            **known,
        )
    # Which errors its readers of JSON, CBOR and keys raise for odd bytes, no page of theirs says.
    except Exception as error:
        logger.warning("a passkey was refused: %s", error)
        raise wrong_passkey() from error


@cache
def _webauthn() -> Any:
    # Not at the top: with OpenSSL's bindings it takes a second and 8 MB, and most sites never call it.
    return import_module("webauthn")


def _user_handle(user_id: int) -> bytes:
    return str(user_id).encode()


def _encode(raw: bytes) -> str:
    return str(_webauthn().helpers.bytes_to_base64url(raw))


def write_holder(response: HttpResponse, holder: str) -> None:
    """Have the browser keep whose challenge it answers, for as long as that is good."""
    response.set_signed_cookie(
        HOLDER_COOKIE,
        holder,
        salt=_HOLDER_SALT,
        max_age=CHALLENGE_TTL,
        httponly=True,
        secure=settings.SECURE,
        samesite="Lax",
    )


def read_holder(request: HttpRequest) -> str:
    """The holder that the browser keeps; "" without one, or one that is forged or too old."""
    return request.get_signed_cookie(HOLDER_COOKIE, "", salt=_HOLDER_SALT, max_age=CHALLENGE_TTL) or ""
