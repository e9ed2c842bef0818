"""A person who did everything that one can do on the site: a row in each column that names a person."""

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from apps.accounts import mentions
from apps.accounts.models import AccessToken, LoginEmail, Passkey, User
from apps.accounts.relations import blocks, contacts
from apps.accounts.sessions import tokens
from apps.blog import comments, likes
from apps.blog.models import Comment, Note
from apps.chat import chats, members, messages
from apps.coupons.claims import loading
from apps.coupons.models import Status
from apps.follows import graph
from apps.moderation import reports
from apps.moderation.models import Case
from apps.redis_kit import client
from apps.search.words import recent_searches
from apps.shops.models import ShopClaim, ShopCorrection, ShopGuest
from apps.signins import check_ins
from apps.uv import keys as uv_keys
from apps.uv import recent
from tests.blog import makers
from tests.factories import (
    AdvertiserFactory,
    BroadcastFactory,
    ChatOpeningFactory,
    DecisionFactory,
    FlashSaleFactory,
    ImportFactory,
    OutgoingMessageFactory,
    PhotoFactory,
    PictureFactory,
    PreferencesFactory,
    RedemptionFactory,
    ReminderFactory,
    SaveFactory,
    SaveListFactory,
    ShopMemberFactory,
    VoucherOrderFactory,
)


def live(person: User, friend: User, stranger: User) -> None:
    """Let a person do everything, with a friend and a stranger."""
    _write_notes(person, friend)
    _meet_people(person, friend, stranger)
    _chat(person, friend, stranger)
    _buy(person, friend)
    _report(person, friend)
    _work_here(person)
    ShopMemberFactory.create(shop=makers.shop(), user=person)
    ShopClaim.objects.create(shop=makers.shop(), user=person, text="Mine.")
    ShopClaim.objects.create(shop=makers.shop(), user=friend, text="Mine.", decided_by=person)
    ShopCorrection.objects.create(shop=makers.shop(), user=person, kind="closed")
    ShopCorrection.objects.create(shop=makers.shop(), user=friend, kind="closed", decided_by=person)
    ShopGuest.objects.create(shop=makers.shop(), user=person)
    SaveFactory.create(user=person, shop=makers.shop())
    SaveListFactory.create(owner=person, name=f"Of {person.nickname}", is_public=True)
    check_ins.check_in_today(person.pk)
    tokens.issue(person, kind=AccessToken.Kind.API)
    OutgoingMessageFactory.create(to=person.phone, text=f"Hello {person.nickname}")
    _fill_redis(person)


def _write_notes(person: User, friend: User) -> None:
    mine, theirs = makers.note(person), makers.note(friend)
    PhotoFactory.create(owner=person)
    makers.note(person, draft=True)
    likes.like(theirs.pk, person.pk)
    likes.like(mine.pk, friend.pk)
    comments.add(mine.pk, friend, "Lovely")
    said = comments.add(theirs.pk, person, "Alone")
    answered = comments.add(theirs.pk, person, "Is it open on Monday?")
    reply = comments.add(theirs.pk, friend, "Yes", reply_to=answered.pk)
    Comment.objects.filter(pk=reply.pk).update(mentions=person)
    comments.delete(said, by=person)
    text = f"@{person.nickname} was here"
    mentions.record("note", theirs.pk, author_id=friend.pk, text=text, picked=[person.pk])


def _meet_people(person: User, friend: User, stranger: User) -> None:
    graph.follow(person.pk, friend.pk)
    graph.follow(friend.pk, person.pk)
    blocks.block(person.pk, stranger.pk)
    blocks.block(stranger.pk, person.pk)
    PreferencesFactory.create(user=person, deliveries={"like": "off"})
    contacts.touch(person.pk, friend.pk)


def _chat(person: User, friend: User, stranger: User) -> None:
    pair = chats.open_with(person.pk, friend.pk)
    messages.post(friend.pk, pair.pk, "Hello")
    picture = PictureFactory.create(owner=person)
    messages.post(person.pk, pair.pk, "Look", picture_id=picture.pk)
    PictureFactory.create(owner=person)
    group = chats.create_group(friend.pk, [stranger.pk], "Hotpot")
    members.invite(friend.pk, group.pk, [person.pk])
    chats.create_group(person.pk, [friend.pk], "Noodles")
    ChatOpeningFactory.create(chat=group, opened_by=person)


def _buy(person: User, friend: User) -> None:
    sale = FlashSaleFactory.create(voucher__shop=makers.shop(), coming=True)
    loading.load(sale.pk)
    ReminderFactory.create(user=person, sale=sale)
    order = VoucherOrderFactory.create(user=person, voucher__shop=makers.shop(), cancelled=True)
    RedemptionFactory.create(order=order, cashier=person)
    VoucherOrderFactory.create(user=friend, holder=person, voucher=order.voucher, status=Status.REFUNDED)


def _report(person: User, friend: User) -> None:
    """A report of the person's, one about them, and decisions that they once made and undid."""
    reports.report(person, "note", Note.objects.get(author=friend).pk, reason="spam", text="Look at this")
    reports.report(friend, "person", person.pk, reason="spam")
    DecisionFactory.create(case=Case.objects.get(author=person), decided_by=person, undone_by=person)


def _work_here(person: User) -> None:
    """What is left of somebody who was staff once."""
    people = ContentType.objects.get_for_model(User)
    entry = {"action_flag": CHANGE, "content_type": people, "object_repr": person.nickname}
    LogEntry.objects.create(user=person, object_id=str(person.pk), change_message=person.phone, **entry)
    TOTPDevice.objects.create(user=person, name="phone")
    LoginEmail.objects.create(user=person, address=f"life-{person.pk}@example.com")
    Passkey.objects.create(user=person, credential_id="passkey-of-a-life", public_key=b"key")
    StaticDevice.objects.create(user=person, name="codes")
    person.groups.add(Group.objects.create(name="helpers"))
    person.user_permissions.add(Permission.objects.all()[0])
    BroadcastFactory.create(author=person)
    ImportFactory.create(by=person)
    AdvertiserFactory.create().members.add(person)


def _fill_redis(person: User) -> None:
    owner = recent.person_owner(person.pk)
    recent_searches.remember(owner, "hotpot")
    client.get().zadd(uv_keys.RECENT(who=owner), {"shop:1": 1})
    client.get().expire(uv_keys.RECENT(who=owner), 60)
    graph.followed_ids(person.pk)
