"""Corrections of shops: people say what is wrong, and the shop's owner or staff makes the change at a press.

Owners decide about their hours and their phone, which they write themselves, and staff about all of it.
"""

from collections.abc import Collection
from typing import Any, NamedTuple, cast

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Field, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.deletion.rules import Erasure, clear_batch, delete_batch, export_rows
from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.adminkit import history
from apps.mailbox import notifications
from apps.mailbox.display import Target
from apps.mailbox.notices import Kind, Notice
from apps.moderation import limits
from apps.shops import changes
from apps.shops.hours_form import find_problem
from apps.shops.members import own_shops
from apps.shops.models import Shop, ShopCorrection
from apps.web.in_language import columns, language_of
from apps.web.problems import Problem

PERMISSION = "shops.decide_shopcorrection"
#: What notifications are about.
TARGET_KIND = "shop_correction"
Wrong, State = ShopCorrection.Kind, ShopCorrection.State
#: What an owner decides about, and the column of the shop that has what is corrected.
OWNERS_KINDS = frozenset({Wrong.HOURS, Wrong.PHONE})
COLUMNS = {Wrong.MOVED: "address_en", Wrong.HOURS: "hours_en", Wrong.PHONE: "phone"}


class SentCorrection(NamedTuple):
    """A correction, and whether it is new."""

    correction: ShopCorrection
    is_new: bool


def send(shop: Shop, user: User, *, kind: str, value: str = "", text: str = "") -> SentCorrection:
    """Send what is wrong about a shop; while one's own of a kind is open, again changes nothing.

    ValidationError; Problem 403 suspended, 429.
    """
    suspensions.require_may_write(user)
    made = ShopCorrection(shop=shop, user=user, kind=kind, value=value, text=text)
    made.clean_fields(exclude={"shop", "user", "decided_by", "decided_at"})
    _clean_value(made)
    mine = ShopCorrection.objects.filter(shop=shop, user=user, kind=kind, state=State.OPEN)
    if known := mine.first():
        return SentCorrection(known, is_new=False)
    limits.charge_report(user.pk)
    sent = {"value": made.value, "text": made.text}
    found, is_new = ShopCorrection.objects.get_or_create(
        shop=shop, user=user, kind=kind, state=State.OPEN, defaults=sent
    )
    return SentCorrection(found, is_new)


def list_open(shop_id: int) -> QuerySet[ShopCorrection]:
    """What waits about a shop, the oldest first."""
    rows = ShopCorrection.objects.filter(shop=shop_id, state=State.OPEN)
    return rows.select_related("shop", "user").order_by("pk")


def may_decide(user: User, correction: ShopCorrection) -> bool:
    """Whether this person, staff or an owner of the shop, decides about it."""
    is_owners = correction.kind in OWNERS_KINDS and own_shops.owns(user, correction.shop_id)
    return is_owners or user.has_perm(PERMISSION)


def decide(correction_id: int, user: User, *, accept: bool) -> ShopCorrection:
    """Change the shop as a correction says, or leave it; all who sent the same are told.

    Problem 403 forbidden, 404, 409 decided.
    """
    with transaction.atomic():
        correction = _lock_open(correction_id)
        if not may_decide(user, correction):
            raise Problem(403, "forbidden", _("Staff decides about this."))
        if accept:
            _change_shop(correction)
        same = list_open(correction.shop_id).filter(kind=correction.kind, value=correction.value)
        answered = list(same.values_list("pk", "user"))
        state = State.ACCEPTED if accept else State.REFUSED
        decided = {"state": state, "decided_by": user, "decided_at": timezone.now()}
        ShopCorrection.objects.filter(pk__in=[pk for pk, _user in answered]).update(**decided)
        word = "corrected" if accept else "not_corrected"
        notifications.notify(
            *(
                Notice(user_id, Kind.REPORT, target_kind=TARGET_KIND, target_id=pk, text=word)
                for pk, user_id in answered
            )
        )
        history.record_event(
            user.pk, str(correction.shop), f"{State(state).label}: {correction.get_kind_display()}"
        )
    return correction


def _lock_open(correction_id: int) -> ShopCorrection:
    rows = ShopCorrection.objects.select_for_update(of=("self",)).select_related("shop")
    correction = rows.filter(pk=correction_id).first()
    if correction is None:
        raise Problem(404, "not_found", _("There is no such report."))
    if correction.state != State.OPEN:
        raise Problem(409, "decided", _("Somebody has decided this already."))
    return correction


def _change_shop(correction: ShopCorrection) -> None:
    shop, value = correction.shop, correction.value
    if correction.kind in {Wrong.CLOSED, Wrong.TWICE}:
        changes.update(Shop.objects.filter(pk=shop.pk), is_listed=False)
    elif correction.kind == Wrong.PHONE:
        shop.phone = value
        changes.save(shop, update_fields=["phone"])
    else:
        name = "address" if correction.kind == Wrong.MOVED else "hours"
        written = f"{name}_zh" if language_of(value) == "zh-Hans" else f"{name}_en"
        # In the other language it would stay wrong.
        for column in columns(name):
            setattr(shop, column, value if column == written else "")
        changes.save(shop, update_fields=columns(name))


def _clean_value(made: ShopCorrection) -> None:
    """Have a value only where one is right, as the shop's column takes it; ValidationError."""
    kind = Wrong(made.kind)
    if kind not in COLUMNS:
        made.value = made.value if kind == Wrong.TWICE else ""
        return
    if not made.value:
        raise ValidationError({"value": _("Write what is right.")})
    try:
        made.value = cast("Field[str, str]", Shop._meta.get_field(COLUMNS[kind])).clean(made.value, None)
    except ValidationError as error:
        raise ValidationError({"value": error.messages}) from error
    if kind == Wrong.HOURS and (problem := find_problem(made.value)):
        raise ValidationError({"value": problem})


def _purge(user_id: int) -> int:
    """Delete what the person sent, and take their name off what they decided."""
    gone = delete_batch(ShopCorrection.objects.filter(user=user_id))
    return gone + clear_batch(ShopCorrection.objects.filter(decided_by=user_id), "decided_by")


def _export(user_id: int) -> dict[str, Any]:
    """What the person said is wrong about shops."""
    sent = ShopCorrection.objects.filter(user=user_id)
    return {"shop_corrections": export_rows(sent, "shop_id", "kind", "value", "text", "state", "created_at")}


ERASURE = Erasure(purge=_purge, goes=(gettext_lazy("What you said is wrong about shops."),), export=_export)


class CorrectionTargets:
    """The reader's own corrections."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """One query."""
        rows = ShopCorrection.objects.filter(pk__in=ids, user=reader_id).select_related("shop")
        return {row.pk: Target(row.shop.name, _find_url(row.shop)) for row in rows}


def _find_url(shop: Shop) -> str:
    return shop.get_absolute_url() if shop.is_listed else reverse("shops:list")
