"""The design gallery at /design/, which shows every UI component; only with DEBUG or DEMO."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.templatetags.static import static
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.generic import TemplateView

from apps.accounts.models import User
from apps.blog.comments import CommentView
from apps.blog.display import note_rows
from apps.blog.models import Comment, Note
from apps.shops.lists.cards import CardContent
from apps.shops.lists.facets import Choice, Group
from apps.shops.lists.filter_form import Chip
from apps.shops.models import Shop

SHOP_KINDS = "food ktv hair massage fitness spa kids bar party nails".split()
ICONS = (
    "home nearby flash orders me search map list locate star clock phone ticket check close info warning "
    "error back next down plus globe sun moon system logout lock device edit trash refresh share filter "
    "wallet chart settings more heart comment reply camera calendar flame trophy people person-add bell "
    "note feed eye directions link chat mail flag stars bookmark"
).split()
GRAB_STATES = "soon open queueing got sold_out have ended login retry".split()
SECTIONS = [f"demo/design/_{name}.html" for name in ("basics", "shops", "sale", "social", "feedback")]
#: The pictures of empty states.
ARTS = "bowl receipt map search bell plug lock pot".split()
# Stands in for a QR code: the gallery has no order to redeem.
PLACEHOLDER_QR = mark_safe(
    '<svg viewBox="0 0 21 21"><path d="M0 0h7v7H0zM14 0h7v7h-7zM0 14h7v7H0zM9 9h3v3H9zM14 14h2v5h-2z"/></svg>'
)


class SampleForm(forms.Form):
    """A form that was refused: a field with an error, one with help, and an error of the whole."""

    nickname = forms.CharField(label="Nickname", min_length=2)
    city = forms.CharField(label="City", required=False, help_text="Either of its names.")
    events = forms.MultipleChoiceField(
        label="Events",
        choices=[("order.paid", "an order was paid"), ("order.used", "a coupon was used")],
        widget=forms.CheckboxSelectMultiple,
    )

    def clean(self) -> None:
        self.add_error(None, "We can't save this right now. Try again in a minute.")


def sample_social(now: datetime) -> dict[str, Any]:
    """Return sample objects that are not in SQL: note cards, a note, a comment with a reply, two people."""
    mei, jun = (
        User(pk=3, nickname="Mei Wang", city="Hangzhou"),
        User(pk=5, nickname="Jun Li", city="Shanghai"),
    )
    shop = Shop(pk=1, name_en="Lantern Alley Noodle House")
    words = "We waited ten minutes and would wait an hour: the broth is clear and deep."
    note = Note(pk=1, title="Broth that forgives a bad week", text=words, author=mei, shop=shop, likes=128)
    reply = Comment(
        pk=2, note=note, author=mei, parent_id=1, text="On a weekday, ten minutes.", created_at=now
    )
    comment = Comment(pk=1, note=note, author=jun, text="Do they take groups of ten?", created_at=now)
    plain = note_rows.from_note(note, None)
    cards = [plain, plain._replace(likes=129)]
    one = CommentView(comment, may_delete=True, replies=[CommentView(reply, may_delete=False)], reply_count=1)
    return {"cards": cards, "note": note, "one": one, "people": [mei, jun]}


def sample_shop_cards() -> list[tuple[CardContent, str]]:
    """Return shop cards, each with a distance."""
    noodles = CardContent(
        id=0,
        url="#",
        name="Lantern Alley Noodle House",
        cover=static("img/design-cover.svg"),
        rating=4.6,
        reviews="1,204",
        price="¥58",
        kind="Food",
        area="Old Town",
        closed="",
    )
    songs = noodles._replace(
        name="Velvet Mic KTV and Late Night Kitchen by the River", rating=3.9, reviews="86", price="¥188"
    )
    hands = noodles._replace(name="Quiet Hands", rating=5.0, reviews="12", price="¥260", kind="Massage")
    gym = noodles._replace(name="Brand New Gym", rating=0, reviews="", price="¥99", kind="Fitness", area="")
    return [
        (noodles, "350 m"),
        (songs._replace(kind="KTV", area="Riverside", closed="Opens 18:00"), "1.2 km"),
        (hands._replace(area="West Lake"), "2.4 km"),
        (gym, "5.1 km"),
    ]


def sample_filters() -> dict[str, Any]:
    """Return two groups of filters, one choice of each is on, and the chips of these."""
    areas = [
        Choice("lake", "West Lake", 128, is_chosen=True),
        Choice("town", "Old Town", 86, is_chosen=False),
    ]
    prices = [
        Choice("1", "Under ¥50", None, is_chosen=False),
        Choice("2", "¥50 to ¥100", None, is_chosen=True),
    ]
    groups = [Group("area", "Area", areas), Group("price", "Price", prices)]
    on = [choice for group in groups for choice in group.values if choice.is_chosen]
    return {"groups": groups, "chips": [Chip(choice.label, "#filters") for choice in on]}


class GalleryView(TemplateView):
    template_name = "demo/design.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        now = timezone.now()
        times = {"now": now, "soon": now + timedelta(minutes=2), "later": now + timedelta(days=1, hours=3)}
        lists = {
            "kinds": SHOP_KINDS,
            "icons": ICONS,
            "arts": ARTS,
            "grab_states": GRAB_STATES,
            "sections": SECTIONS,
        }
        cities = [("hz", "Hangzhou"), ("sh", "Shanghai")]
        return super().get_context_data(
            **times,
            **lists,
            **sample_social(now),
            **sample_filters(),
            sample=SampleForm({"nickname": "a"}, auto_id="sample_%s"),
            cities=cities,
            shop_cards=sample_shop_cards(),
            shared={"title": "Lantern Alley Noodle House", "line": "Food · West Lake"},
            qr=PLACEHOLDER_QR,
            **kwargs,
        )
