"""Notifications in people's browsers: subscriptions, messages through the outbox, and their delivery.

A subscription ends with its log-in. A message names the notification alone: what the browser shows is read
when it is sent, so what was taken back or read until then is not sent, and the outbox keeps no word of it.
Quiet hours put it off. It is encrypted for its browser (RFC 8291, RFC 8292).
"""

import base64
import binascii
import html
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import product
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.db import transaction
from django.utils import timezone, translation
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from pydantic import AnyHttpUrl, EmailStr
from webpush import WebPush, WebPushSubscription
from webpush.types import WebPushMessage
from webpush.vapid import VAPID

from apps.mailbox import copies, display, people, vapid
from apps.mailbox.display import Target
from apps.mailbox.models import MAX_ENDPOINT_LENGTH, Notification, Preferences, PushSubscription
from apps.mailbox.notices import PUSH_KINDS, Delivery, Kind, Notice
from apps.outbox import outbox
from apps.outbox.failures import NotSent, PermanentlyRefused
from apps.outbox.models import Channel, Message
from apps.outbox.outbox import OutgoingMessage
from apps.queues.delayed import Priority
from apps.web import outgoing_http, public_addresses
from apps.web.problems import Problem

#: Of one log-in: browsers make a new address now and then, and the old one answers 410 some day.
MAX_SUBSCRIPTIONS = 5
_SECRET_LENGTH = 16

#: A push that came later would tell of what is over; a notification waits on the site.
LIFETIME = timedelta(hours=4)
#: Who looks at the thing has seen its news by then.
NEWS_DELAY = timedelta(seconds=10)
#: For the look-up of the name, and for the exchange after it.
LOOK_UP_SECONDS, EXCHANGE_SECONDS = 2.0, 5.0
#: A push service takes 4,096 bytes, of which a character may need four.
MAX_BODY_LENGTH = 300
#: The push service no longer knows the browser: its person took the permission back, or the browser is gone.
GONE = {404, 410}
DEFAULT_PORTS = {"http": 80, "https": 443}
#: Later it may do: too many at once.
RETRIED = {408, 425, 429}


def subscribe(login_id: int, *, endpoint: str, p256dh: str, secret: str) -> None:
    """Keep a browser's subscription under a log-in, whoever had it before. Problem 404, 422."""
    if settings.VAPID_KEY is None:
        raise Problem(404, "not_found")
    if len(endpoint) > MAX_ENDPOINT_LENGTH:
        raise _invalid()
    public_addresses.require_reachable(endpoint, seconds=LOOK_UP_SECONDS)
    _require_keys(p256dh, secret)
    with transaction.atomic():
        PushSubscription.objects.update_or_create(
            endpoint=endpoint, defaults={"login_id": login_id, "p256dh": p256dh, "secret": secret}
        )
        newest = PushSubscription.objects.filter(login=login_id).order_by("-pk")
        kept = list(newest.values_list("pk", flat=True)[:MAX_SUBSCRIPTIONS])
        PushSubscription.objects.filter(login=login_id).exclude(pk__in=kept).delete()


def unsubscribe(login_id: int, *, endpoint: str) -> None:
    """Delete a log-in's subscription of this address; without one nothing happens."""
    PushSubscription.objects.filter(login=login_id, endpoint=endpoint).delete()


def list_endpoints(login_id: int) -> list[str]:
    """The addresses to which a log-in's notifications go."""
    return list(PushSubscription.objects.filter(login=login_id).values_list("endpoint", flat=True))


def _require_keys(p256dh: str, secret: str) -> None:
    """Problem 422 for keys that nothing can be encrypted for."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(p256dh))
        length = len(_decode(secret))
    except (ValueError, binascii.Error):
        raise _invalid() from None
    if length != _SECRET_LENGTH:
        raise _invalid()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _invalid() -> Problem:
    return Problem(422, "invalid", _("This browser's address for notifications can't be used."))


def post_pushes(notices: Sequence[Notice], chosen: Mapping[int, Preferences]) -> None:
    """Post these notices to the browsers of their recipients, in the caller's transaction; one query more.

    Kinds that a person has switched off don't get here.
    """
    wanted = [notice for notice in notices if notice.kind in PUSH_KINDS]
    if settings.VAPID_KEY is None or not wanted:
        return
    people = {notice.recipient_id for notice in wanted}
    live = PushSubscription.objects.live().filter(login__user__in=people)
    browsers = list(live.values_list("login__user", "pk"))
    messages = [
        _build_message(notice, number, chosen[user_id])
        for notice, (user_id, number) in product(wanted, browsers)
        if notice.recipient_id == user_id
    ]
    outbox.post_many(message for message in messages if not message.is_too_late)


def post_news(kind: Kind, target_kind: str, target_id: int, seen: Mapping[int, int]) -> None:
    """Post that a thing has news, without a notification: what `seen` people can count for themselves.

    `seen` is {user id: up to which number the person has seen it}: until that changes, a browser gets one
    push. It waits for NEWS_DELAY, and is not sent if the target is gone from the person's TARGETS by then.
    People who switched the kind off get none. In a transaction; three queries.
    """
    if settings.VAPID_KEY is None or not seen:
        return
    chosen = Preferences.objects.of_people(seen)
    people = [user_id for user_id in seen if chosen[user_id].delivery(kind) != Delivery.OFF]
    live = PushSubscription.objects.live().filter(login__user__in=people)
    now = timezone.now()
    messages = []
    for user_id, number in live.values_list("login__user", "pk"):
        after = chosen[user_id].end_of_quiet_hours(now) or now + NEWS_DELAY
        message = OutgoingMessage(
            channel=Channel.PUSH,
            to=str(number),
            text=json.dumps([user_id, "", target_kind, target_id]),
            key=f"push:{number}:{target_kind}:{target_id}:{seen[user_id]}",
            after=after,
            until=after + LIFETIME,
        )
        messages.append(message)
    outbox.post_many(messages)


def _build_message(notice: Notice, number: int, preferences: Preferences) -> OutgoingMessage:
    now = timezone.now()
    after = preferences.end_of_quiet_hours(now)
    about = [notice.recipient_id, notice.kind, notice.target_kind, notice.target_id]
    # A reminder is of no use later than its text message.
    until = notice.sms.until if notice.sms else None
    return OutgoingMessage(
        channel=Channel.PUSH,
        to=str(number),
        text=json.dumps(about),
        key=f"push:{number}:{':'.join(map(str, about[1:]))}:{now:%Y%m%dT%H%M%S%f}",
        priority=notice.sms.priority if notice.sms else Priority.NORMAL,
        after=after,
        until=until or (after or now) + LIFETIME,
    )


def deliver(message: Message) -> None:
    """Deliver a message of the outbox; raises NotSent or PermanentlyRefused.

    Nothing happens for what has no use any more: the log-in has ended, the notification was read or is gone.
    """
    live = PushSubscription.objects.live().select_related("login")
    subscription = live.filter(pk=message.to).first() if message.to.isdecimal() else None
    key = settings.VAPID_KEY
    if subscription is None or key is None:
        return
    payload = build_payload(*json.loads(message.text))
    if payload:
        until = message.until or timezone.now() + LIFETIME
        seconds = max(0, int((until - timezone.now()) / timedelta(seconds=1)))
        _send(subscription, _encrypt(key, subscription, payload, seconds=seconds))


def build_payload(recipient_id: int, kind: str, target_kind: str, target_id: int) -> dict[str, Any] | None:
    """What the browser shows, in its reader's language: the sentence of the site's own list, and no more.

    Without a kind it is news of a target (post_news), whose title is the sentence. None for a
    notification that is read, or gone, and for news that were seen.
    """
    person = people.directory().load([recipient_id]).get(recipient_id)
    if person is None:
        return None
    with translation.override(person.language):
        if kind:
            found = _find_notification(recipient_id, kind, target_kind, target_id)
        else:
            found = display.load_targets([(target_kind, target_id)], recipient_id).get(
                (target_kind, target_id)
            )
    if found is None:
        return None
    return {
        "title": settings.SITE_NAME,
        "body": found.title[:MAX_BODY_LENGTH],
        "url": found.url,
        "tag": f"{kind}:{target_kind}:{target_id}",
        "lang": person.language,
    }


def _find_notification(recipient_id: int, kind: str, target_kind: str, target_id: int) -> Target | None:
    """The sentence of an unread notification, and the page that marks it as read."""
    rows = Notification.objects.about(recipient_id, kind, target_kind, target_id).unread()
    entries = copies.read_entries(rows, 1)
    if not entries:
        return None
    [item] = display.build_items(entries, recipient_id)
    return Target(html.unescape(strip_tags(item.sentence)), item.open_url)


def _send(subscription: PushSubscription, encrypted: WebPushMessage) -> None:
    try:
        host = public_addresses.parse(subscription.endpoint).hostname or ""
        answer = outgoing_http.exchange(
            "POST",
            subscription.endpoint,
            seconds=EXCHANGE_SECONDS,
            headers={"Content-Type": "application/octet-stream", "Urgency": "high"} | dict(encrypted.headers),
            body=encrypted.encrypted,
            address=public_addresses.resolve(host, seconds=LOOK_UP_SECONDS),
        )
    except (public_addresses.Unreachable, outgoing_http.NoAnswer) as error:
        raise NotSent(str(error)) from error
    except Problem as refusal:
        # Good once, as on a demo, and no longer.
        raise PermanentlyRefused(str(refusal.detail)) from refusal
    if answer.status in GONE:
        subscription.delete()
    elif not answer.is_success:
        reason = outgoing_http.ANSWERED.fill(status=answer.status)
        # A redirect is none: nobody has checked where it leads.
        may_do_later = answer.status >= 500 or answer.status in RETRIED
        raise NotSent(reason) if may_do_later else PermanentlyRefused(reason)


class _Audience(NamedTuple):
    """What webpush reads of an endpoint."""

    scheme: str
    host: str


class _OriginVapid(VAPID):  # type: ignore[misc]  # webpush ships no types
    """Signs for the whole origin of a push service, with a port that isn't its scheme's own (RFC 8292)."""

    def get_authorization_header(self, endpoint: AnyHttpUrl, subscriber: EmailStr, expiration: int) -> str:
        port = "" if endpoint.port == DEFAULT_PORTS.get(endpoint.scheme) else f":{endpoint.port}"
        audience: Any = _Audience(endpoint.scheme, f"{endpoint.host}{port}")
        return str(super().get_authorization_header(audience, subscriber, expiration))


def _encrypt(
    key: vapid.Key, subscription: PushSubscription, payload: dict[str, Any], *, seconds: int
) -> WebPushMessage:
    """The `encrypted` bytes for this browser and their `headers`; a service keeps them so many seconds."""
    writer = WebPush(key.private_pem, key.public_pem, subscriber=settings.OPERATOR_EMAIL, ttl=seconds)
    writer.vapid = _OriginVapid(key.private_pem, key.public_pem)
    browser = {
        "endpoint": subscription.endpoint,
        "keys": {"p256dh": subscription.p256dh, "auth": subscription.secret},
    }
    text = json.dumps(payload, ensure_ascii=False)
    return writer.get(text, WebPushSubscription.model_validate(browser))
