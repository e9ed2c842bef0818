"""Notifications that leave the site as text messages, through the outbox; quiet hours put them off."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from apps.mailbox import people
from apps.mailbox.kinds import Delivery
from apps.mailbox.notices import Notice
from apps.mailbox.people import Person
from apps.mailbox.preferences import Choices
from apps.outbox import outbox
from apps.outbox.models import Channel
from apps.outbox.outbox import OutgoingMessage


def post(notices: Sequence[Notice], chosen: Mapping[int, Choices]) -> None:
    """Post the text messages of these notices to those who want one, in the caller's transaction."""
    wanted = [
        notice
        for notice in notices
        if not notice.is_site_only and chosen[notice.recipient_id].delivery(notice.kind) == Delivery.SMS
    ]
    nameless = {notice.recipient_id for notice in wanted if notice.sms is None}
    persons = people.directory().load(nameless) if nameless else {}
    messages = [
        (notice.recipient_id, notice.sms or _build_message(notice, persons[notice.recipient_id]))
        for notice in wanted
        if notice.sms or notice.recipient_id in persons
    ]
    put_off = [_put_off(message, chosen[user_id]) for user_id, message in messages]
    outbox.post_many(message for message in put_off if not _is_useless(message))


def _put_off(message: OutgoingMessage, choices: Choices) -> OutgoingMessage:
    """The message, to be sent after the person's quiet hours."""
    return replace(message, after=choices.end_of_quiet_hours(timezone.now()))


def _is_useless(message: OutgoingMessage) -> bool:
    """Whether it could be sent only after the time that it is worth sending until."""
    return bool(message.after and message.until and message.until < message.after)


def _build_message(notice: Notice, person: Person) -> OutgoingMessage:
    """A short message that leads to the list, for kinds whose cause has no words of its own."""
    with translation.override(person.language):
        values = {
            "site": settings.SITE_NAME,
            "kind": notice.kind.label,
            "url": settings.SITE_URL + reverse("mailbox:list"),
        }
        text = _("%(site)s has something new for you (%(kind)s): %(url)s") % values
    key = f"mailbox:{notice.recipient_id}:{notice.kind}:{notice.target_kind}:{notice.target_id}"
    moment = f"{timezone.now():%Y%m%dT%H%M%S%f}"
    return OutgoingMessage(channel=Channel.SMS, to=person.phone, text=text, key=f"{key}:{moment}")
