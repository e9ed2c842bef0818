"""The pages and forms on which people claim a shop, with a proof, or propose a missing one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.forms import ShowsRefusals
from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Shape
from apps.accounts.text_fields import LinesFormField, blank_if_invisible, validate_line, validate_lines
from apps.shops import access
from apps.shops.claims import claims, corrections
from apps.shops.hours_form import find_problem
from apps.shops.members import own_shops
from apps.shops.models import Shop, ShopCorrection, ShopType
from apps.web.in_language import language_of
from apps.web.problems import Problem

TEXTS = ("name", "city", "area", "address", "hours")
MAX_PROOF_LETTERS = 1_000


class LineField(forms.CharField):
    """One line of readable text."""

    default_validators = [validate_line]

    def to_python(self, value: Any) -> Any:
        return blank_if_invisible(" ".join(str(super().to_python(value) or "").split()))


class ClaimForm(ShowsRefusals, forms.Form):
    """Why staff may believe that the shop is this person's."""

    text = LinesFormField(
        label=gettext_lazy("How can we see that it is yours?"),
        max_length=MAX_PROOF_LETTERS,
        validators=[validate_lines],
        widget=forms.Textarea({"rows": 4}),
        help_text=gettext_lazy(
            "Your name and role, the number of the licence, a phone on which we reach the shop."
        ),
    )
    picture = forms.FileField(
        label=gettext_lazy("A picture that shows it"),
        required=False,
        widget=forms.FileInput({"accept": "image/*"}),
        help_text=gettext_lazy("The licence or the sign, at most 10 MB. Only staff sees it."),
    )

    def clean_picture(self) -> Any:
        shape = Shape(side=uploads.LARGE_PIXELS)
        return uploads.clean_sent(self, "picture", shape, most_bytes=uploads.MAX_SHOWN_BYTES)


class ProposalForm(ShowsRefusals, forms.Form):
    """A shop that the site lacks, as a passer-by knows it."""

    name = LineField(label=gettext_lazy("Name of the shop"), max_length=80)
    type = forms.ModelChoiceField(ShopType.objects.all(), label=gettext_lazy("Type"), empty_label=None)
    city = LineField(label=gettext_lazy("City"), max_length=50)
    area = LineField(label=gettext_lazy("Part of the city"), max_length=80, required=False)
    address = LineField(label=gettext_lazy("Address"), max_length=200)
    hours = LineField(label=gettext_lazy("Opening hours"), max_length=80, required=False)
    phone = LineField(label=gettext_lazy("Phone of the shop"), max_length=24, required=False)
    is_owner = forms.BooleanField(label=gettext_lazy("This is my shop"), required=False)
    text = LinesFormField(
        label=gettext_lazy("Anything else that we should know"),
        max_length=MAX_PROOF_LETTERS,
        required=False,
        validators=[validate_lines],
        widget=forms.Textarea({"rows": 3}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("is_owner") and not cleaned.get("text") and "text" not in self.errors:
            self.add_error("text", _("Say how we can see that it is yours."))
        return cleaned

    def clean_hours(self) -> str:
        """Hours in words; a time that no clock shows is refused."""
        words: str = self.cleaned_data["hours"]
        if problem := find_problem(words):
            raise forms.ValidationError(problem)
        return words

    def build_shop(self) -> Shop:
        """The shop, not saved, which staff has to place; each text in the language of its letters."""
        sent = self.cleaned_data
        shop = Shop(type=sent["type"], phone=sent["phone"], price=0, needs_place=True, lat=0.0, lng=0.0)
        for name in TEXTS:
            side = "zh" if language_of(sent[name]) == "zh-Hans" else "en"
            setattr(shop, f"{name}_{side}", sent[name])
        return shop


class CorrectionForm(ShowsRefusals, forms.Form):
    """What is wrong about a shop, and what is right."""

    kind = forms.ChoiceField(
        label=gettext_lazy("What is wrong?"), choices=ShopCorrection.Kind.choices, widget=forms.RadioSelect
    )
    value = LineField(
        label=gettext_lazy("What is right?"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("The new address, hours or phone, or the other shop's address here."),
    )
    text = LinesFormField(
        label=gettext_lazy("Anything else that we should know"),
        max_length=500,
        required=False,
        validators=[validate_lines],
        widget=forms.Textarea({"rows": 3}),
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def correct(request: HttpRequest, shop_id: int) -> HttpResponse:
    """The form that says what is wrong about a shop (GET); send it to its owner and to staff (POST)."""
    user, shop = auth.require_user(request), access.shop(shop_id)
    form = CorrectionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with form.show_refusals():
                corrections.send(shop, user, **form.cleaned_data)
                messages.success(request, _("Thank you. We look at it, and you get a notification."))
                return redirect(shop)
        except forms.ValidationError as error:
            form.add_error(None, error)
    about = {"shop": shop, "form": form}
    return render(request, "shops/correct.html", about, status=form.status if form.errors else 200)


@never_cache
@login_required
@require_POST
def decide_correction(request: HttpRequest, shop_id: int, correction_id: int) -> HttpResponse:
    """Make the change that somebody sent about one's own shop, or leave it, and come back."""
    user = auth.require_user(request)
    own_shops.require_owned_shop(shop_id, user)
    try:
        accept = request.POST.get("answer") == "accept"
        corrections.decide(correction_id, user, accept=accept)
        messages.success(request, _("Decided, and the person is told."))
    except Problem as problem:
        messages.error(request, problem.detail)
    return redirect("shops:edit", shop_id)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def claim(request: HttpRequest, shop_id: int) -> HttpResponse:
    """The state of the person's claim, or the form of a new one (GET); send it (POST)."""
    user = auth.require_user(request)
    shop, known = claims.claimable_shop(shop_id, user)
    form = ClaimForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and not shop.is_listed:
        raise Http404
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            claims.submit(shop, user, form.cleaned_data["text"], form.cleaned_data["picture"])
            messages.success(request, _("Thank you. We look at it, and you get a notification."))
            return redirect("shops:claim", shop.pk)
    about = {"shop": shop, "claim": known, "form": form, "owns": own_shops.owns(user, shop.pk)}
    return render(request, "shops/claim.html", about, status=form.status if form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def propose(request: HttpRequest) -> HttpResponse:
    """The form of a missing shop (GET); keep it for staff (POST)."""
    user, form = auth.require_user(request), ProposalForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.show_refusals():
            sent = form.cleaned_data
            made = claims.propose(form.build_shop(), user, sent["text"], is_owner=sent["is_owner"])
            messages.success(request, _("Thank you. We look at it, and you get a notification."))
            return redirect("shops:claim", made.shop_id)
    return render(request, "shops/propose.html", {"form": form}, status=form.status if form.errors else 200)
