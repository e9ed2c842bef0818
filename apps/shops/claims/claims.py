"""Claims of shops: people prove that a shop is theirs, or propose a missing one, and staff decides.

An accepted claim makes its person the shop's owner. A proposed shop is a row that is off the site until then.
"""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.deletion.rules import BATCH_SIZE, Erasure, clear_batch, export_rows
from apps.accounts.models import User
from apps.accounts.pictures import files
from apps.accounts.profiles import suspensions
from apps.adminkit import history
from apps.mailbox import notifications
from apps.mailbox.display import Target
from apps.mailbox.notices import Kind, Notice
from apps.queues import owed
from apps.redis_kit.limiter import Limit
from apps.shops import access, changes
from apps.shops.members import membership
from apps.shops.models import Shop, ShopClaim, ShopMember
from apps.web import rate_limits
from apps.web.problems import Problem

#: What notifications are about.
TARGET_KIND = "shop_claim"
#: What a person may send that staff has to read.
CLAIMS = Limit(name="claims", family="shop_people", allowed=10, period=timedelta(days=1))
TOO_MANY = gettext_lazy("You have sent a lot today. Go on tomorrow.")
#: Claims and proposals of one person that wait at once.
MAX_OPEN = 5


def submit(shop: Shop, user: User, text: str, picture: ContentFile[bytes] | None = None) -> ShopClaim:
    """Send a person's claim that they own a shop.

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
    charge_claim(claim.user_id)
    with transaction.atomic():
        # Locked: two tabs that send at once are one claim, and not one too many.
        User.objects.select_for_update().get(pk=claim.user_id)
        waiting = ShopClaim.objects.filter(user=claim.user, state=ShopClaim.State.OPEN)
        if waiting.filter(shop=claim.shop).exists():
            raise Problem(409, "already_sent", _("You have sent this already. We look at it."))
        if waiting.count() >= MAX_OPEN:
            sentence = _("%(most)d of what you sent wait for us already. Send more when we have answered.")
            raise Problem(422, "too_many", sentence % {"most": MAX_OPEN})
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
    notifications.notify(
        Notice(claim.user_id, Kind.REPORT, target_kind=TARGET_KIND, target_id=claim.pk, text=news)
    )
    history.record_event(staff.pk, str(claim.shop), f"{claim.get_state_display()}: {claim.user_id}")


def claimable_shop(shop_id: int, user: User) -> tuple[Shop, ShopClaim | None]:
    """A public shop, or one that this person proposed, with their newest claim of it; Http404."""
    claim = find_latest(shop_id, user)
    try:
        return access.shop(shop_id), claim
    except Http404:
        if claim is None:
            raise
        return claim.shop, claim


def charge_claim(user_id: int) -> None:
    """Count one claim or proposal; Problem 429 past the limit. Without Redis nothing is refused."""
    rate_limits.charge([(CLAIMS, user_id)], TOO_MANY)


def _purge(user_id: int) -> int:
    """Delete what the person sent, with the pictures, and take their name off what they decided."""
    claims = list(ShopClaim.objects.filter(user=user_id)[:BATCH_SIZE])
    for claim in claims:
        claim.delete()
        if claim.picture:
            owed.run_after_commit(files.delete_sizes, str(claim.picture))
    return len(claims) + clear_batch(ShopClaim.objects.filter(decided_by=user_id), "decided_by")


def _export(user_id: int) -> dict[str, Any]:
    """What the person sent about shops."""
    sent = ShopClaim.objects.filter(user=user_id)
    return {"shop_claims": export_rows(sent, "shop_id", "is_new", "text", "state", "reason", "created_at")}


ERASURE = Erasure(
    purge=_purge,
    goes=(gettext_lazy("What you sent about shops that are yours, or that were missing here."),),
    export=_export,
)


class ClaimTargets:
    """The reader's own claims."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        rows = ShopClaim.objects.filter(pk__in=ids, user=reader_id).select_related("shop")
        return {row.pk: Target(row.shop.name, reverse("shops:claim", args=[row.shop_id])) for row in rows}
