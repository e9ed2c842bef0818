"""People say that a shop is theirs, or propose one that is missing; staff decides.

An accepted claim makes its person the shop's owner. A proposed shop is a row that is off the site until then.
"""

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.adminkit import history
from apps.mailbox import notifications
from apps.mailbox.kinds import Kind
from apps.shops import changes
from apps.shops.claims import limits
from apps.shops.members import membership
from apps.shops.models import Shop, ShopClaim, ShopMember
from apps.web.problems import Problem

#: What notifications are about.
TARGET_KIND = "shop_claim"


def submit(shop: Shop, user: User, text: str, picture: ContentFile[bytes] | None = None) -> ShopClaim:
    """Say that a shop is one's own.

    ValidationError without a proof; Problem 403 suspended, 409 is_owner, already_sent, 422 too_many, 429.
    """
    if ShopMember.objects.filter(shop=shop, user=user, role=ShopMember.Role.OWNER).exists():
        raise Problem(409, "is_owner", _("This shop is yours already."))
    return _send(ShopClaim(shop=shop, user=user, text=text, picture=picture or ""))


def propose(shop: Shop, user: User, text: str, *, is_owner: bool) -> ShopClaim:
    """Propose a shop that the site lacks: its row is written, off the site. Raises what `submit` does."""
    with transaction.atomic():
        shop.is_listed = False
        changes.save(shop)
        return _send(ShopClaim(shop=shop, user=user, text=text, is_new=True, is_owner=is_owner))


def accept(claim_id: int, staff: User) -> ShopClaim:
    """Make the person an owner, and show a proposed shop; Problem 409 decided, 422 needs_place."""
    with transaction.atomic():
        claim = _lock_open(claim_id)
        if claim.is_new:
            if claim.shop.needs_place:
                raise Problem(422, "needs_place", _("Say where the shop is before it is shown on the site."))
            changes.list_publicly(Shop.objects.filter(pk=claim.shop_id))
        if claim.is_owner:
            member, _is_new = ShopMember.objects.get_or_create(shop=claim.shop, user=claim.user)
            member.role = ShopMember.Role.OWNER
            membership.save_many([member])
        _decide(claim, ShopClaim.State.ACCEPTED, staff, "owner" if claim.is_owner else "listed")
    return claim


def refuse(claim_id: int, staff: User, reason: str) -> ShopClaim:
    """Refuse a claim with a reason for its person; ValidationError without one, Problem 409 decided."""
    with transaction.atomic():
        claim = _lock_open(claim_id)
        claim.reason = reason
        claim.clean_fields(exclude={"shop", "user", "picture", "decided_by", "decided_at"})
        if not claim.reason:
            raise ValidationError({"reason": _("Write why: the person reads it.")})
        _decide(claim, ShopClaim.State.REFUSED, staff, "not_owner")
    return claim


def find_latest(shop_id: int, user: User) -> ShopClaim | None:
    """The person's newest claim of a shop."""
    rows = ShopClaim.objects.select_related("shop").filter(shop=shop_id, user=user)
    return rows.order_by("-pk").first()


def _send(claim: ShopClaim) -> ShopClaim:
    suspensions.require_may_write(claim.user)
    claim.clean_fields(exclude={"shop", "user", "picture", "decided_by", "decided_at"})
    if claim.is_owner and not claim.text:
        raise ValidationError({"text": _("Say how we can see that it is yours.")})
    limits.charge_claim(claim.user_id)
    with transaction.atomic():
        # Locked: two tabs that send at once are one claim, and not one too many.
        User.objects.select_for_update().get(pk=claim.user_id)
        waiting = ShopClaim.objects.filter(user=claim.user, state=ShopClaim.State.OPEN)
        if waiting.filter(shop=claim.shop).exists():
            raise Problem(409, "already_sent", _("You have sent this already. We look at it."))
        if waiting.count() >= limits.MAX_OPEN:
            sentence = _("%(most)d of what you sent wait for us already. Send more when we have answered.")
            raise Problem(422, "too_many", sentence % {"most": limits.MAX_OPEN})
        claim.save(force_insert=True)
    return claim


def _lock_open(claim_id: int) -> ShopClaim:
    rows = ShopClaim.objects.select_for_update(of=("self",)).select_related("shop", "user")
    claim = rows.filter(pk=claim_id).first()
    if claim is None:
        raise Problem(404, "not_found", _("There is no such claim."))
    if claim.state != ShopClaim.State.OPEN:
        raise Problem(409, "decided", _("Somebody has decided this already."))
    return claim


def _decide(claim: ShopClaim, state: ShopClaim.State, staff: User, news: str) -> None:
    claim.state, claim.decided_by, claim.decided_at = state, staff, timezone.now()
    claim.save()
    notifications.notify(claim.user_id, Kind.REPORT, target_kind=TARGET_KIND, target_id=claim.pk, text=news)
    history.record_event(staff.pk, str(claim.shop), f"{claim.get_state_display()}: {claim.user_id}")
