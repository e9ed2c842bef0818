"""The admin of outgoing messages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action, display

from apps.adminkit import confirm_dialogs, history
from apps.adminkit.change_forms import Badges
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.outbox import sending
from apps.outbox.models import Channel, Message, State
from apps.web import stored_texts
from apps.web.problems.ids import parse_row_id

#: The badge of each state.
STATE_BADGES = {State.WAITING: "warning", State.SENT: "success", State.FAILED: "danger"}
SENT_AGAIN = _("The message is on its way again.")
NOT_FAILED = _("This message is not a failed one any more.")


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """Outgoing messages: sent, waiting with the reason, and failed ones with a button to send again."""

    empty_text = _("No message has left the site yet.")
    list_display = ("heading", "way", "badge", "attempts", "created_at", "sent_at")
    list_filter = ("state", "channel", "priority")
    search_fields = ("=to", "=key", "text")
    search_help_text = _("Phone, address, key or words of the text")
    ordering = ("-id",)
    actions = ("send_chosen",)
    actions_detail = ("send_again",)
    fields = (
        ("to", "channel"),
        "subject",
        "text",
        ("state", "attempts"),
        "error",
        ("created_at", "sent_at"),
        ("next_try_at", "until"),
        ("key", "priority"),
    )
    readonly_fields = ("error",)

    @display(description=_("message"), header=True)
    def heading(self, message: Message) -> list[str]:
        return [message.to, (message.subject or message.text)[:90]]

    @display(description=_("channel"), ordering="channel")
    def way(self, message: Message) -> Any:
        return Channel(message.channel).label

    @display(
        description=_("state"),
        ordering="state",
        label=Badges({s.label: kind for s, kind in STATE_BADGES.items()}),
    )
    def badge(self, message: Message) -> Any:
        return State(message.state).label

    @display(description=_("last error"))
    def error(self, message: Message) -> str:
        return stored_texts.translate(message.last_error)

    def has_send_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Only failed messages can be sent again."""
        if not request.user.has_perm("outbox.send_again"):
            return False
        return object_id is None or Message.objects.failed().filter(pk=parse_row_id(str(object_id))).exists()

    @action(
        description=_("Send again"),
        url_path="send-again",
        icon="forward_to_inbox",
        permissions=["send"],
        dialog=confirm_dialogs.build(
            _("Send this message again?"),
            _("It is tried as if it were new. If it had a time it was worth sending until, that is dropped."),
            _("Send again"),
        ),
    )
    def send_again(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        message = Message.objects.get(pk=object_id)
        url = reverse("admin:outbox_message_change", args=[message.pk])
        if not sending.resend([message]):
            return confirm_dialogs.redirect_with_message(request, url, str(NOT_FAILED))
        history.record_changed(request, message, str(_("sent again")))
        return confirm_dialogs.redirect_with_message(request, url, str(SENT_AGAIN))

    @admin.action(description=_("Send again"), permissions=["send"])
    def send_chosen(self, request: HttpRequest, found: QuerySet[Message]) -> None:
        again = sending.resend(found.filter(state=State.FAILED))
        for message in again:
            history.record_changed(request, message, str(_("sent again")))
        words = ngettext("%d message is on its way again.", "%d messages are on their way again.", len(again))
        self.message_user(request, words % len(again))
