"""The admin of messages to people: write, look, send, watch the progress, stop."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext
from unfold.decorators import action, display
from unfold.forms import BaseDialogForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from apps.adminkit import confirm_dialogs, history
from apps.adminkit.change_forms import Badges, ModelAdmin
from apps.mailbox import broadcasts, people
from apps.mailbox.models import Audience, Broadcast
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

STATE_BADGES = {
    Broadcast.State.DRAFT: "info",
    Broadcast.State.SENT: "success",
    Broadcast.State.STOPPED: "danger",
}
PLAIN_FIELDS = ("title_en", "title_zh", "text_en", "text_zh", "path", "audience", "city")


class BroadcastForm(forms.ModelForm[Broadcast]):
    """A message, and the phones of a list."""

    phones = forms.CharField(
        label=_("Phones of the list"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text=_("One on a line; empty: the list stays as it is."),
    )

    class Meta:
        model = Broadcast
        fields = PLAIN_FIELDS
        labels: ClassVar = {"path": _("Leads to")}
        help_texts: ClassVar = {
            "path": _("A page of this site, such as /sales/. Empty: the message's own page.")
        }
        widgets: ClassVar = {
            name: UnfoldAdminTextareaWidget(attrs={"rows": 4}) for name in ("text_en", "text_zh")
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "audience" in self.fields and self.instance._state.adding:
            # Nobody writes to everybody by leaving a choice as it came.
            self.fields["audience"].choices = [("", "–"), *Audience.choices]  # type: ignore[attr-defined]
            self.initial["audience"] = ""
        # What was sent has no field of it.
        if "city" in self.fields and (choices := people.directory().city_choices(self.instance.city)):
            self.fields["city"].widget = UnfoldAdminSelectWidget(choices=choices)

    def clean_path(self) -> str:
        path: str = self.cleaned_data["path"]
        if path and (not path.startswith("/") or path.startswith(("//", "/\\"))):
            raise ValidationError(_("A page of this site begins with one “/”."))
        return path

    def clean_phones(self) -> list[int]:
        """The ids of the people of the given phones, in the order of the lines."""
        lines = list(dict.fromkeys(self.cleaned_data["phones"].split()))
        if len(lines) > broadcasts.MAX_PEOPLE:
            raise ValidationError(_("100,000 people are the most. Write to a city, or to everybody."))
        found = people.directory().find_by_phones(lines)
        unknown = [line for line in lines if line not in found]
        if unknown:
            raise ValidationError(
                _("Nobody has this phone: %(phones)s"), params={"phones": ", ".join(unknown[:5])}
            )
        return [found[line] for line in lines]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for part in ("title", "text"):
            if not (cleaned.get(f"{part}_en") or cleaned.get(f"{part}_zh")):
                self.add_error(f"{part}_en", _("Write this in one language at least."))
        if cleaned.get("audience") == Audience.CITY and not cleaned.get("city"):
            self.add_error("city", _("Which city?"))
        elif cleaned.get("audience") == Audience.CITY and not people.directory().count(cleaned["city"]):
            self.add_error("city", _("Nobody lives in a city of this name. Look at its spelling."))
        if cleaned.get("audience") == Audience.LIST and not (cleaned.get("phones") or self.instance.people):
            self.add_error("phones", _("Whose phones?"))
        return cleaned


def count_recipients(found: Broadcast) -> int:
    """How many active people a message is for."""
    if found.audience == Audience.LIST:
        return found.people_count
    return people.directory().count(found.city if found.audience == Audience.CITY else "")


class RecipientsForm(BaseDialogForm):
    """The dialog's words about a message: its audience, and the number of people."""

    form_before_template = "admin/mailbox/_recipients.html"

    def get_before_template_context(self, _request: HttpRequest, object_id: Any = None) -> dict[str, Any]:
        found = Broadcast.objects.get(pk=object_id)
        return {"broadcast": found, "count": count_recipients(found)}


@admin.register(Broadcast)
class BroadcastAdmin(ModelAdmin):
    """Messages to everybody, to a city or to a list; only drafts can be changed."""

    form = BroadcastForm
    #: Without the number of people, which would be counted for each row.
    list_display = ("heading", "badge", "audience", "progress", "sent_at")
    list_filter = ("state", "audience")
    search_fields = ("title_en", "title_zh")
    ordering = ("-id",)
    fields = (*PLAIN_FIELDS, "phones", "reach", "progress", "preview")
    readonly_fields = ("reach", "progress", "preview")
    #: What is sent has no field of its audience, and shows all.
    conditional_fields: ClassVar = {
        name: f"typeof audience === 'undefined' || audience == '{audience}'"
        for name, audience in (("city", Audience.CITY), ("phones", Audience.LIST))
    }
    actions_detail = ("send", "stop")
    change_form_after_template = "admin/mailbox/_live.html"

    @display(description=_("message"), header=True)
    def heading(self, found: Broadcast) -> list[str]:
        return [found.title, found.text[:90]]

    @display(
        description=_("state"),
        ordering="state",
        label=Badges({s.label: kind for s, kind in STATE_BADGES.items()}),
    )
    def badge(self, found: Broadcast) -> Any:
        return Broadcast.State(found.state).label

    @display(description=_("people"))
    def reach(self, found: Broadcast) -> str:
        return str(intcomma(count_recipients(found)))

    @display(description=_("progress"))
    def progress(self, found: Broadcast) -> Any:
        """Of a list: how many notifications are written. Others are everybody's at once."""
        if found.audience != Audience.LIST:
            return pgettext("broadcast", "at once") if found.state == Broadcast.State.SENT else "-"
        return f"{found.written} / {found.people_count}"

    @display(description=_("preview"))
    def preview(self, found: Broadcast) -> str:
        """As people read it, in both languages."""
        return render_to_string("admin/mailbox/preview.html", {"broadcast": found})

    def get_fields(self, request: HttpRequest, found: Broadcast | None = None) -> Sequence[Any]:
        """Of a draft the page shows people and preview beside the fields; of what was sent as fields."""
        fields: Sequence[Any] = super().get_fields(request, found)
        is_draft = found is None or self.has_change_permission(request, found)
        left_out = self.readonly_fields if is_draft else ("phones",)
        return [name for name in fields if name not in left_out]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.preview_form)
        urls: list[URLPattern] = super().get_urls()
        return [path("preview/", view, name="mailbox_broadcast_preview"), *urls]

    def preview_form(self, request: HttpRequest) -> HttpResponse:
        """A part of the page: the message of a form that isn't saved, and how many people it is for."""
        draft = self.get_object(request, request.GET.get("draft", ""))
        may = self.has_change_permission(request, draft) if draft else self.has_add_permission(request)
        if request.method != "POST" or not may:
            raise PermissionDenied
        form = BroadcastForm(request.POST, instance=draft)
        # What isn't right yet is left out.
        form.full_clean()
        found, given = form.instance, form.cleaned_data
        if given.get("phones"):
            found.people = given["phones"]
            found.people_count = len(found.people)
        is_said = "audience" in given and not {"city", "phones"} & form.errors.keys()
        count = count_recipients(found) if is_said else None
        context = {"broadcast": found, "count": count}
        return TemplateResponse(request, "admin/mailbox/_live_preview.html", context)

    def has_change_permission(self, request: HttpRequest, found: Broadcast | None = None) -> bool:
        is_draft = found is None or found.state == Broadcast.State.DRAFT
        return is_draft and bool(super().has_change_permission(request, found))

    def has_delete_permission(self, request: HttpRequest, found: Broadcast | None = None) -> bool:
        return found is not None and self.has_change_permission(request, found)

    def save_model(self, request: HttpRequest, found: Broadcast, form: Any, change: bool) -> None:
        if form.cleaned_data.get("phones"):
            found.people = form.cleaned_data["phones"]
            found.people_count = len(found.people)
        if found.audience != Audience.CITY:
            found.city = ""
        if not change:
            found.author_id = request.user.pk
        super().save_model(request, found, form, change)

    def response_add(
        self, request: HttpRequest, found: Broadcast, post_url_continue: Any = None
    ) -> HttpResponse:
        return self._show_draft(request, found)

    def response_change(self, request: HttpRequest, found: Broadcast) -> HttpResponse:
        return self._show_draft(request, found)

    def _show_draft(self, request: HttpRequest, found: Broadcast) -> HttpResponse:
        """The draft's page, with a word about what is next."""
        text = _("The draft is saved, and nobody has it yet. “Send” above sends it to %(count)s.")
        number = count_recipients(found)
        people_count = ngettext("%(total)s person", "%(total)s people", number) % {"total": intcomma(number)}
        messages.success(request, text % {"count": people_count})
        return redirect("admin:mailbox_broadcast_change", found.pk)

    def has_send_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Only drafts can be sent."""
        return self._may(request, object_id, Broadcast.State.DRAFT)

    def has_stop_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Only what was sent can be stopped."""
        return self._may(request, object_id, Broadcast.State.SENT)

    @action(
        description=_("Send"),
        url_path="send",
        icon="send",
        permissions=["send"],
        dialog=confirm_dialogs.build(
            _("Send this message?"),
            _("People see it within seconds. You can stop it: then it is taken back from all of them."),
            _("Send"),
            form=RecipientsForm,
        ),
    )
    def send(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        url = reverse("admin:mailbox_broadcast_change", args=[object_id])
        try:
            found = broadcasts.send(int(object_id))
        except Problem as problem:
            return confirm_dialogs.redirect_with_message(request, url, problem.detail, level=messages.ERROR)
        history.record_changed(request, found, str(_("sent")))
        return confirm_dialogs.redirect_with_message(request, url, str(_("The message is on its way.")))

    @action(
        description=_("Stop"),
        url_path="stop",
        icon="cancel",
        permissions=["stop"],
        dialog=confirm_dialogs.build(
            _("Stop this message?"),
            _("Nobody else gets it, and it disappears from the lists of those who have it."),
            _("Stop"),
            form=RecipientsForm,
        ),
    )
    def stop(self, request: HttpRequest, _form: Any, object_id: str) -> HttpResponse:
        url = reverse("admin:mailbox_broadcast_change", args=[object_id])
        if broadcasts.stop(int(object_id)):
            history.record_changed(request, Broadcast.objects.get(pk=object_id), str(_("stopped")))
        return confirm_dialogs.redirect_with_message(request, url, str(_("The message is stopped.")))

    def _may(self, request: HttpRequest, object_id: Any, state: str) -> bool:
        if not request.user.has_perm("mailbox.send_broadcast"):
            return False
        return (
            object_id is None
            or Broadcast.objects.filter(pk=parse_row_id(str(object_id)), state=state).exists()
        )
