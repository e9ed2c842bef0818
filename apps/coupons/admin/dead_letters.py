"""The admin of dead letters: a list with reasons, and actions that replay them."""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action, display

from apps.adminkit import confirm_dialogs, history
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.coupons.claims import entries
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter
from apps.coupons.orders import dead_letters
from apps.redis_kit import client
from apps.web import stored_texts
from apps.web.problems.ids import parse_row_id

#: Why a replay did not happen, in words for the person who pressed.
REPLAY_REFUSALS = {
    Outcome.SOLD_OUT: _("Not replayed: no unit is left for it."),
    Outcome.ALREADY_BOUGHT: _("Not replayed: this person holds an order of this sale by now."),
}
NOT_READY = _("Not replayed: the sale is not loaded. Try again in a moment.")


class ReplayedFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, Any]]:
        return [("waiting", _("waiting")), ("replayed", _("replayed"))]

    def queryset(self, _request: HttpRequest, dead_letters: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
        if self.value() in {"waiting", "replayed"}:
            return dead_letters.filter(replayed_at__isnull=self.value() == "waiting")
        return dead_letters


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin):
    """Dead letters: accepted orders that could not become rows, with the reason and a replay button."""

    list_display = ("heading", "deliveries", "created_at", "state")
    list_filter = (ReplayedFilter,)
    empty_text = _("Nothing failed: every accepted order was written down.")
    search_fields = ("=order_id", "reason")
    search_help_text = _("Order number or reason")
    ordering = ("-id",)
    actions = ("replay_chosen",)
    actions_detail = ("replay",)
    fields = (
        "why",
        "order_id",
        "payload",
        "stream",
        "entry_id",
        "deliveries",
        "created_at",
        "replayed_at",
    )
    readonly_fields = ("why", "payload")

    @display(description=_("reason"), header=True)
    def heading(self, dead_letter: DeadLetter) -> list[str]:
        return [stored_texts.translate(dead_letter.reason), str(dead_letter.order_id or _("no order number"))]

    @display(description=_("reason"))
    def why(self, dead_letter: DeadLetter) -> str:
        return stored_texts.translate(dead_letter.reason)

    @display(description=_("state"), label={_("waiting"): "warning", _("replayed"): "success"})
    def state(self, dead_letter: DeadLetter) -> Any:
        return _("replayed") if dead_letter.replayed_at else _("waiting")

    @display(description=_("entry"))
    def payload(self, dead_letter: DeadLetter) -> str:
        text = json.dumps(dead_letter.fields, indent=2, ensure_ascii=False, sort_keys=True)
        return format_html('<pre class="sv-code">{}</pre>', text)

    def has_replay_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        if not request.user.has_perm("coupons.change_deadletter"):
            return False
        return (
            object_id is None
            or DeadLetter.objects.filter(pk=parse_row_id(str(object_id)), replayed_at=None).exists()
        )

    @action(
        description=_("Replay"),
        icon="replay",
        permissions=["replay"],
        dialog=confirm_dialogs.build(
            _("Replay this order?"),
            _("It takes a unit again, if one is left, and goes back into the queue under its old number."),
            _("Replay"),
        ),
    )
    def replay(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        dead_letter = DeadLetter.objects.get(pk=object_id)
        url = reverse("admin:coupons_deadletter_change", args=[dead_letter.pk])
        problem = replay_or_explain(dead_letter)
        if problem:
            return confirm_dialogs.redirect_with_message(request, url, problem, level=messages.ERROR)
        history.record_changed(request, dead_letter, str(_("replayed")))
        return confirm_dialogs.redirect_with_message(request, url, str(_("The order is back in the queue.")))

    @admin.action(description=_("Replay"), permissions=["replay"])
    def replay_chosen(self, request: HttpRequest, dead_letters: QuerySet[DeadLetter]) -> None:
        problems = [replay_or_explain(dead_letter) for dead_letter in dead_letters.filter(replayed_at=None)]
        failed = [problem for problem in problems if problem]
        sent = len(problems) - len(failed)
        self.message_user(
            request,
            ngettext("%d order is back in the queue.", "%d orders are back in the queue.", sent) % sent,
        )
        for problem in sorted(set(failed)):
            self.message_user(request, f"{problem} ({failed.count(problem)})", messages.ERROR)


def replay_or_explain(dead_letter: DeadLetter) -> str:
    """Replay a dead letter; the reason as a sentence when that is not possible, else an empty text."""
    try:
        outcome = dead_letters.replay(dead_letter)
    except entries.MalformedEntry as error:
        return str(_("Not replayed: the entry says no order (%s).") % stored_texts.translate(str(error)))
    except client.UNAVAILABLE:
        return str(_("Not replayed: the live numbers can't be reached. Try again in a moment."))
    if outcome is Outcome.ACCEPTED:
        return ""
    return str(REPLAY_REFUSALS.get(outcome, NOT_READY))
