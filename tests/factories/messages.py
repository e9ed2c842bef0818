"""Chats, notifications, broadcasts and messages that leave the site."""

import factory

from apps.accounts.models import AccessToken
from apps.chat.models import Chat, ChatOpening, Member, Message, Picture
from apps.mailbox.models import Broadcast, Notification, Preferences, PushSubscription
from apps.mailbox.notices import Kind
from apps.outbox.models import Channel
from apps.outbox.models import Message as OutgoingMessage
from tests.factories.people import AccessTokenFactory, UserFactory
from tests.factories.rows import RowFactory


class ChatFactory(RowFactory[Chat]):
    """A chat without members and messages."""

    class Meta:
        model = Chat


class MemberFactory(RowFactory[Member]):
    """A person in a chat since it began."""

    class Meta:
        model = Member

    chat = factory.SubFactory(ChatFactory)
    user = factory.SubFactory(UserFactory)


class PictureFactory(RowFactory[Picture]):
    """A picture without files, in no message."""

    class Meta:
        model = Picture

    owner = factory.SubFactory(UserFactory)
    width = 400
    height = 300


class MessageFactory(RowFactory[Message]):
    """The first message of a chat, whose last number is left as it is."""

    class Meta:
        model = Message

    chat = factory.SubFactory(ChatFactory)
    number = 1
    text = "Hello"


class ChatOpeningFactory(RowFactory[ChatOpening]):
    """Staff opened a chat because of a report."""

    class Meta:
        model = ChatOpening

    chat = factory.SubFactory(ChatFactory)
    opened_by = factory.SubFactory(UserFactory)
    reason = "a report"


class NotificationFactory(RowFactory[Notification]):
    """A notification that nobody's number of unread ones counts."""

    class Meta:
        model = Notification

    recipient = factory.SubFactory(UserFactory)
    kind = Kind.SALE


class PreferencesFactory(RowFactory[Preferences]):
    """How a person wants to hear of things: as the site proposes."""

    class Meta:
        model = Preferences

    user = factory.SubFactory(UserFactory)


class PushSubscriptionFactory(RowFactory[PushSubscription]):
    """A browser of a log-in, with the keys of RFC 8291's example."""

    class Meta:
        model = PushSubscription

    login = factory.SubFactory(AccessTokenFactory, kind=AccessToken.Kind.PAGE)
    endpoint = factory.Sequence(lambda number: f"https://push.example/{number}")
    p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    secret = "BTBZMqHH6r4Tts7J_aSIgg"


class BroadcastFactory(RowFactory[Broadcast]):
    """A draft to everybody."""

    class Meta:
        model = Broadcast

    title_en = "Hot pot week"
    text_en = "Half price."


class OutgoingMessageFactory(RowFactory[OutgoingMessage]):
    """A text message that waits."""

    class Meta:
        model = OutgoingMessage

    key = factory.Sequence(lambda number: f"key {number}")
    channel = Channel.SMS
    to = "+8613900000000"
    text = "Hello"
