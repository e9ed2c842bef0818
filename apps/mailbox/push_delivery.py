"""Sends a notification to a browser by its push service, encrypted for that browser (RFC 8291, RFC 8292)."""

import html
import json
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import timezone, translation
from django.utils.html import strip_tags
from pydantic import AnyHttpUrl, EmailStr
from webpush import WebPush, WebPushSubscription
from webpush.types import WebPushMessage
from webpush.vapid import VAPID

from apps.mailbox import people, vapid
from apps.mailbox.copies import newest
from apps.mailbox.display import items, targets
from apps.mailbox.display.targets import Target
from apps.mailbox.models import Notification, PushSubscription
from apps.mailbox.push_messages import LIFETIME
from apps.outbox.failures import NotSent, PermanentlyRefused
from apps.outbox.models import Message
from apps.web import outgoing_http, public_addresses
from apps.web.problems import Problem

#: For the look-up of the name, and for the exchange after it.
LOOK_UP_SECONDS, EXCHANGE_SECONDS = 2.0, 5.0
#: A push service takes 4,096 bytes, of which a character may need four.
MAX_BODY_LENGTH = 300
#: The push service no longer knows the browser: its person took the permission back, or the browser is gone.
GONE = {404, 410}
DEFAULT_PORTS = {"http": 80, "https": 443}
#: Later it may do: too many at once.
RETRIED = {408, 425, 429}


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

    Without a kind it is news of a target (push_messages.post_news), whose title is the sentence. None for a
    notification that is read, or gone, and for news that were seen.
    """
    person = people.directory().load([recipient_id]).get(recipient_id)
    if person is None:
        return None
    with translation.override(person.language):
        if kind:
            found = _find_notification(recipient_id, kind, target_kind, target_id)
        else:
            found = targets.load([(target_kind, target_id)], recipient_id).get((target_kind, target_id))
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
    entries = newest.read_rows(rows, 1)
    if not entries:
        return None
    [item] = items.build(entries, recipient_id)
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
