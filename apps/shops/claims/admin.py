"""Claims of shops for managers: the proof, and yes or no with a reason."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.accounts.models import User
from apps.accounts.pictures import files
from apps.adminkit.change_forms import Badges
from apps.adminkit.read_only import ReadOnlyAdmin
from apps.shops.claims import claims, corrections
from apps.shops.models import ShopClaim, ShopCorrection
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

STATE_BADGES = Badges({ShopClaim.State.OPEN.label: "warning", ShopClaim.State.ACCEPTED.label: "success"})


class RefusalForm(forms.Form):
    """Why a claim is refused."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=gettext_lazy("The person reads it when you refuse."),
    )


@admin.register(ShopClaim)
class ShopClaimAdmin(ReadOnlyAdmin):
    """What waits longest comes first; each is decided on its own page."""

    empty_text = gettext_lazy("Nobody has claimed a shop.")
    list_display = ("heading", "user", "is_new", "is_owner", "created_at", "badge")
    list_filter = ("state", "is_new")
    list_select_related = ("shop", "user")
    search_fields = ("shop__name_en", "shop__name_zh", "user__phone", "user__nickname", "text")
    search_help_text = gettext_lazy("Shop, person or words of the proof")
    ordering = ("-state", "created_at")

    def get_urls(self) -> list[URLPattern]:
        own = path(
            "<path:object_id>/proof/", self.admin_site.admin_view(self.proof), name="shops_claim_proof"
        )
        return [own, *super().get_urls()]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("shops.decide_shopclaim")

    @display(description=gettext_lazy("shop"), header=True)
    def heading(self, claim: ShopClaim) -> list[str]:
        return [claim.shop.name, claim.shop.address]

    @display(description=gettext_lazy("state"), label=STATE_BADGES)
    def badge(self, claim: ShopClaim) -> str:
        return claim.get_state_display()

    def proof(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """The picture, for who may see the claim."""
        claim = self._find(request, object_id)
        if not claim.picture:
            raise Http404
        return files.file_response(str(claim.picture))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The claim with its proof and the shop's owners; POST decides it."""
        claim, form = self._find(request, object_id), RefusalForm(request.POST or None)
        if request.method == "POST" and form.is_valid() and self._decide(request, claim, form):
            return redirect("admin:shops_shopclaim_changelist")
        about = {"title": claim.shop.name, "opts": self.opts, "claim": claim, "form": form}
        about["owners"] = claim.shop.members.filter(role="owner").select_related("user")
        about["may_decide"] = self.has_decide_permission(request) and claim.state == ShopClaim.State.OPEN
        return render(request, "admin/shops/claim.html", admin.site.each_context(request) | about)

    def _find(self, request: HttpRequest, object_id: str) -> ShopClaim:
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = ShopClaim.objects.select_related("shop__type", "user", "decided_by")
        return get_object_or_404(rows, pk=parse_row_id(object_id))

    def _decide(self, request: HttpRequest, claim: ShopClaim, form: RefusalForm) -> bool:
        if not self.has_decide_permission(request):
            raise PermissionDenied
        assert isinstance(request.user, User), "the admin requires a log-in"
        try:
            if request.POST.get("answer") == "accept":
                claims.accept(claim.pk, request.user)
            else:
                claims.refuse(claim.pk, request.user, form.cleaned_data["reason"])
        except ValidationError as error:
            form.add_error("reason", " ".join(error.messages))
            return False
        except Problem as problem:
            messages.error(request, problem.detail)
            return False
        messages.success(request, _("Decided, and the person is told."))
        return True


@admin.register(ShopCorrection)
class ShopCorrectionAdmin(ReadOnlyAdmin):
    """What people say is wrong about shops, the oldest first, with the change ready to accept."""

    empty_text = gettext_lazy("Nobody has said that something is wrong about a shop.")
    list_display = ("heading", "kind", "value", "user", "created_at", "badge")
    list_filter = ("state", "kind")
    list_select_related = ("shop", "user")
    search_fields = ("shop__name_en", "shop__name_zh", "user__phone", "user__nickname", "value", "text")
    search_help_text = gettext_lazy("Shop, person or their words")
    ordering = ("-state", "created_at")

    @display(description=gettext_lazy("shop"), header=True)
    def heading(self, correction: ShopCorrection) -> list[str]:
        return [correction.shop.name, correction.shop.address]

    @display(description=gettext_lazy("state"), label=STATE_BADGES)
    def badge(self, correction: ShopCorrection) -> str:
        return correction.get_state_display()

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """What is and what somebody says is right; POST makes the change, or leaves it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        assert isinstance(request.user, User), "the admin requires a log-in"
        rows = ShopCorrection.objects.select_related("shop__type", "user", "decided_by")
        correction = get_object_or_404(rows, pk=parse_row_id(object_id))
        if request.method == "POST":
            try:
                corrections.decide(correction.pk, request.user, accept=request.POST.get("answer") == "accept")
                messages.success(request, _("Decided, and the person is told."))
            except Problem as problem:
                messages.error(request, problem.detail)
            return redirect("admin:shops_shopcorrection_changelist")
        is_open = correction.state == ShopCorrection.State.OPEN
        about = {"title": correction.shop.name, "opts": self.opts, "correction": correction}
        about["may_decide"] = is_open and corrections.may_decide(request.user, correction)
        return render(request, "admin/shops/correction.html", admin.site.each_context(request) | about)
