"""Who works at a shop: adding and removing people, with the roles that follow from it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts import phones
from apps.accounts.deletion.rules import Erasure, delete_batch
from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit import history
from apps.adminkit.roles import Role
from apps.redis_kit import limiter
from apps.shops.models import Shop, ShopGuest, ShopMember
from apps.web import rate_limits
from apps.web.problems import Problem

#: People of one shop; more than a large restaurant has at its counters.
MAX_MEMBERS = 100
#: The role on the site that follows from one at a shop.
_SITE_ROLES = {ShopMember.Role.OWNER: Role.SHOP_OWNER, ShopMember.Role.CASHIER: Role.CASHIER}
#: Phone numbers that an owner may try: a list of a shop's people is no search for accounts.
LOOK_UPS = limiter.Limit(name="phones", family="shop_people", allowed=30, period=timedelta(hours=1))
TOO_MANY = gettext_lazy("You tried many numbers. Wait a while, then go on.")


def list_people(shop: Shop) -> list[ShopMember]:
    """The people of a shop with their accounts, owners first; one query."""
    rows = ShopMember.objects.filter(shop=shop).select_related("user")
    return sorted(rows, key=lambda row: (row.role != ShopMember.Role.OWNER, row.pk))


def add_cashier(shop: Shop, phone: str, *, added_by: User) -> ShopMember:
    """Let the account of a phone redeem coupons of a shop; again is fine.

    Problem 422 bad_phone, no_account, too_many_people; 409 is_owner; 429 after very many numbers.
    """
    charge_look_up(added_by.pk)
    user = _find_account(phone)
    with transaction.atomic():
        # Locked: two who add at once don't pass the limit together.
        Shop.objects.select_for_update().get(pk=shop.pk)
        if ShopMember.objects.filter(shop=shop).exclude(user=user).count() >= MAX_MEMBERS:
            sentence = _("A shop has at most %(most)d people here. Remove somebody first.")
            raise Problem(422, "too_many_people", sentence % {"most": MAX_MEMBERS})
        member, is_new = ShopMember.objects.get_or_create(shop=shop, user=user)
        if member.role == ShopMember.Role.OWNER:
            raise Problem(409, "is_owner", _("%(name)s owns this shop.") % {"name": user.nickname})
        if is_new:
            sync_roles(user)
            _record(added_by, shop, _("let person %(id)d redeem coupons") % {"id": user.pk})
    return member


def save_many(members: Sequence[ShopMember]) -> None:
    """Insert or update people of shops, and give and take the roles that follow."""
    with transaction.atomic():
        for member in members:
            member.save()
        sync_roles_of({member.user_id for member in members})


def remove_cashier(shop: Shop, user_id: int, *, removed_by: User) -> User | None:
    """End a cashier's work at a shop at once; returns who it was, None if there is no such cashier.

    Problem 409 is_owner: owners are removed in the admin, by who runs the site.
    """
    with transaction.atomic():
        member = ShopMember.objects.filter(shop=shop, user=user_id).select_related("user").first()
        if member is None:
            return None
        if member.role == ShopMember.Role.OWNER:
            sentence = _("An owner is removed by the people who run this site.")
            raise Problem(409, "is_owner", sentence)
        member.delete()
        sync_roles(member.user)
        _record(removed_by, shop, _("person %(id)d redeems no more") % {"id": user_id})
    return member.user


def sync_roles(user: User) -> None:
    """Give a person the roles that follow from their shops, and take back those that don't any more."""
    roles_held = set(ShopMember.objects.filter(user=user).values_list("role", flat=True))
    for shop_role, role in _SITE_ROLES.items():
        if shop_role in roles_held:
            role_groups.grant(user, role)
        elif user.groups.filter(name=role).exists():
            role_groups.withdraw(user, role)


@contextmanager
def ending(shop_ids: Sequence[int]) -> Iterator[None]:
    """Around the deletion of shops: their people lose the roles that followed from them."""
    members = ShopMember.objects.filter(shop__in=shop_ids)
    people = list(members.values_list("user", flat=True))
    yield
    sync_roles_of(people)


def sync_roles_of(user_ids: Iterable[int]) -> None:
    """Give and take the roles of several people."""
    for user in User.objects.filter(pk__in=list(user_ids)):
        sync_roles(user)


def _find_account(phone: str) -> User:
    try:
        number = phones.parse(phone)
    except phones.BadPhone as error:
        raise Problem(422, "bad_phone", str(error), field="phone") from None
    user = User.objects.filter(phone=number, is_active=True).first()
    if user is None:
        sentence = _(
            "Nobody has logged in with %(phone)s yet. Ask them to log in here once, then add them again."
        )
        raise Problem(422, "no_account", sentence % {"phone": number}, field="phone")
    return user


def _record(who: User, shop: Shop, what: str) -> None:
    # By number: a name would outlive the account that it names.
    history.record_event(who.pk, str(shop), what)


def charge_look_up(user_id: int) -> None:
    """Count one phone number; Problem 429 past the limit.

    Raises client.UNAVAILABLE: without a limit the answers would tell who has an account.
    """
    rate_limits.require(limiter.hit([(LOOK_UPS, user_id)]), TOO_MANY)


def _purge(user_id: int) -> int:
    """End the person's work at shops, and the roles that followed from it; forget where they were guests."""
    gone = delete_batch(ShopMember.objects.filter(user=user_id))
    if gone:
        sync_roles(User.objects.get(pk=user_id))
    return gone + delete_batch(ShopGuest.objects.filter(user=user_id))


ERASURE = Erasure(
    purge=_purge, goes=(gettext_lazy("Your work at shops: you redeem no coupons there any more."),)
)
