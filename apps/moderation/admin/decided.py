"""The list of decisions: who decided what, why, and what was undone."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display

from apps.adminkit.read_only import ReadOnlyAdmin
from apps.moderation.deciding import decisions
from apps.moderation.models import Decision


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    """Read-only: a decision is undone on the page of its report."""

    list_display = ("thing", "author", "what", "short_reason", "decided_by", "decided_at", "undone")
    list_filter = (("sanction", ChoicesDropdownFilter), "is_hidden", ("decided_by", RelatedDropdownFilter))
    list_filter_submit = False
    list_select_related = ("case__author", "decided_by")
    search_fields = ("reason", "case__excerpt", "case__author__phone", "case__author__nickname")
    search_help_text = _("Reason, words of the thing, or its author")
    ordering = ("-id",)
    fields = (
        "report_link",
        ("is_hidden", "sanction", "until"),
        "reason",
        ("decided_by", "decided_at"),
        ("undone_by", "undone_at"),
        ("objection", "objected_at"),
    )
    readonly_fields = ("report_link",)

    @display(description=_("reported"))
    def thing(self, decision: Decision) -> str:
        return str(decision.case)

    @display(description=_("author"))
    def author(self, decision: Decision) -> str:
        return decision.case.author.nickname if decision.case.author else "–"

    @display(description=_("decision"))
    def what(self, decision: Decision) -> str:
        return decisions.describe(decision)

    @display(description=_("reason"))
    def short_reason(self, decision: Decision) -> str:
        return decision.reason[:80]

    @display(description=_("undone"), boolean=True)
    def undone(self, decision: Decision) -> bool:
        return decision.undone_at is not None

    @display(description=_("report"))
    def report_link(self, decision: Decision) -> str:
        url = reverse("admin:moderation_case_change", args=[decision.case_id])
        return format_html('<a href="{}">{}</a>', url, decision.case)
