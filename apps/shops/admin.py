"""The admin of shops with their people and photos, of shop types and cities."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminImageFieldWidget

from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Drawn
from apps.adminkit.change_forms import ModelAdmin, TabularInline
from apps.adminkit.translations import missing_filter, missing_label
from apps.imports.upload import UploadAdmin
from apps.shops import areas, changes, money, photos
from apps.shops.city_form import CityForm, next_position
from apps.shops.claims.admin import ShopClaimAdmin as ShopClaimAdmin
from apps.shops.claims.admin import ShopCorrectionAdmin as ShopCorrectionAdmin
from apps.shops.hours_form import WORDS_HELP, HoursField, HoursFormMixin
from apps.shops.importing.members import MemberResource
from apps.shops.importing.shops import ShopResource
from apps.shops.members import membership
from apps.shops.members.own_rows import ShopRowsAdmin
from apps.shops.models import City, Shop, ShopMember, ShopPhoto, ShopQuerySet, ShopType
from apps.shops.money_field import AmountField, AmountForm
from apps.web.in_language import TextOrder, choose, columns
from apps.web.problems import Problem

#: The texts that both languages should have; opening hours are mostly numbers.
TRANSLATED = ("name", "about", "city", "area", "address")
#: They follow from the import and from people's notes: shops.ratings.
COUNTED = ("stars", "reviews", "imported_stars")
#: What managers alone change of a shop.
MANAGED = (
    *columns("name", "city", "area", "address"),
    "type",
    "is_listed",
    "lat",
    "lng",
    "popularity",
    "reference",
)


class ShopForm(HoursFormMixin, AmountForm, forms.ModelForm):
    schedule = HoursField(label=_("Opening hours"), required=False)
    price = AmountField(label=_("Price per person"))
    # Not an ImageField: that one reads the file in this process.
    picture = forms.FileField(
        label=_("Picture"),
        required=False,
        widget=UnfoldAdminImageFieldWidget,
        help_text=_("At most 10 MB. Without one a cover is drawn."),
    )

    class Meta:
        model = Shop
        exclude = ("currency",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.needs_place:
            # Not the zeros that stand for nothing.
            self.initial.update(lat=None, lng=None)
        for name in {*columns("hours")} & {*self.fields}:
            self.fields[name].help_text = WORDS_HELP

    def clean(self) -> dict[str, Any]:
        """A shop that is given its place may be on the site."""
        cleaned = super().clean() or self.cleaned_data
        self.clean_hours(cleaned)
        self.instance.needs_place &= not {"lat", "lng"} <= cleaned.keys()
        return cleaned

    def clean_picture(self) -> Any:
        return uploads.clean_sent(self, "picture", uploads.OF_A_ROW, most_bytes=uploads.MAX_SHOWN_BYTES)


class CityFilter(admin.SimpleListFilter):
    """Shops of one city, whose name is in the manager's language."""

    title, parameter_name = _("city"), "city"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> list[tuple[str, str]]:
        names = {english or chinese: choose(english, chinese) for english, chinese in list_city_names()}
        return sorted(names.items(), key=lambda pair: pair[1])

    def queryset(self, _request: HttpRequest, shops: QuerySet[Shop]) -> QuerySet[Shop]:
        city = self.value()
        return shops.filter(Q(city_en=city) | Q(city_en="", city_zh=city)) if city else shops


def list_city_names() -> Iterator[tuple[str, str]]:
    """Each pair of a city's names that shops have, (English, Chinese): by an index, not from all shops."""
    shops = Shop.objects.order_by("city_en", "city_zh").values_list("city_en", "city_zh")
    pair = shops.first()
    while pair:
        yield pair
        english, chinese = pair
        same_english = shops.filter(city_en=english, city_zh__gt=chinese)
        pair = same_english.first() or shops.filter(city_en__gt=english).first()


class ShopMemberInline(TabularInline):
    """Owners and cashiers; shown to managers, as owners have no permission on it."""

    model = ShopMember
    verbose_name_plural = _("People of the shop")
    autocomplete_fields = ("user",)
    fields = ("user", "role", "created_at")
    readonly_fields = ("created_at",)
    extra = 0
    tab = True


def save_members(formset: Any) -> None:
    """Save the rows of the inline, and give and take the roles that follow from them."""
    before = list(formset.queryset.values_list("user", flat=True))
    formset.save()
    after = list(formset.instance.members.values_list("user", flat=True))
    membership.sync_roles_of({*before, *after})


class ShopPhotoForm(forms.ModelForm):
    """A new photo with its file, or the captions and the position of one."""

    # Not an ImageField: that one reads the file in this process.
    picture = forms.FileField(
        label=_("File"), required=False, widget=UnfoldAdminFileFieldWidget, help_text=_("At most 10 MB.")
    )

    class Meta:
        model = ShopPhoto
        fields = (*columns("caption"), "position")

    def clean_picture(self) -> Drawn | None:
        """The picture drawn anew in two sizes; a photo keeps its file."""
        sent = self.cleaned_data["picture"]
        if self.instance.pk:
            return None
        if sent is None:
            raise ValidationError(_("Choose a file."))
        try:
            return uploads.redraw(sent, uploads.SHOWN, most_bytes=uploads.MAX_SHOWN_BYTES)
        except Problem as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from refusal


class ShopPhotoFormSet(forms.BaseInlineFormSet):
    """The photos of a shop; every write goes through shop_photos."""

    def save_new(self, form: Any, commit: bool = True) -> ShopPhoto:  # noqa: FBT001, FBT002 - Django's signature
        photo: ShopPhoto = super().save_new(form, commit=False)
        return photos.store(photo, form.cleaned_data["picture"]) if commit else photo

    def save_existing(self, form: Any, obj: Any, commit: bool = True) -> ShopPhoto:  # noqa: FBT001, FBT002
        photo: ShopPhoto = super().save_existing(form, obj, commit=False)
        if commit:
            photos.save(photo)
        return photo

    def delete_existing(self, obj: Any, commit: bool = True) -> None:  # noqa: FBT001, FBT002
        if commit:
            photos.delete([obj])


class ShopPhotoInline(TabularInline):
    model = ShopPhoto
    form = ShopPhotoForm
    formset = ShopPhotoFormSet
    fields = ("thumbnail", "picture", *columns("caption"), "position")
    readonly_fields = ("thumbnail",)
    extra = 0
    max_num = photos.MAX_SHOP_PHOTOS
    tab = True

    @display(description=_("photo"))
    def thumbnail(self, photo: ShopPhoto) -> Any:
        if not photo.pk:
            return "-"
        return format_html(
            '<a href="{}"><img src="{}" alt="{}" width="96"></a>', photo.url, photo.card_url, _("Full size")
        )


@admin.register(Shop)
class ShopAdmin(UploadAdmin, ShopRowsAdmin):
    """Shops for managers, and for owners their own; every write goes through shops.changes."""

    is_in_search = True
    resource_classes = (ShopResource, MemberResource)

    form = ShopForm
    list_display = ("heading", "type", "place", "stars", "per_person", "listed", "untranslated")
    list_filter = (
        ("type", RelatedDropdownFilter),
        "is_listed",
        "needs_place",
        CityFilter,
        missing_filter(TRANSLATED),
    )
    list_select_related = ("type",)
    search_fields = (*columns("name", "area", "address"), "phone")
    search_help_text = _("Name, area, address or phone")
    ordering = ("-id",)
    autocomplete_fields = ("type",)
    warn_unsaved_form = True
    actions = ("list_them", "unlist_them")
    fieldsets = (
        (None, {"fields": (columns("name"), "type", columns("about"), "picture", "is_listed")}),
        (
            _("Place"),
            {"fields": (columns("city"), columns("area"), columns("address"), ("lat", "lng"), "reference")},
        ),
        (_("For visitors"), {"fields": (("phone", "price"), "schedule", columns("hours"))}),
        (
            _("Numbers"),
            {
                "fields": (("stars", "reviews"), ("imported_stars", "popularity")),
                "classes": ("tab",),
            },
        ),
    )
    readonly_fields = COUNTED
    inlines = (ShopPhotoInline, ShopMemberInline)

    def get_readonly_fields(self, request: HttpRequest, obj: Shop | None = None) -> tuple[str, ...]:
        """An owner neither moves nor renames a shop, nor takes it off the site: guests find it by that."""
        return COUNTED if self.sees_all(request) else (*COUNTED, *MANAGED)

    def has_list_permission(self, request: HttpRequest) -> bool:
        """Whether the user decides which shops are on the site."""
        return self.sees_all(request) and self.has_change_permission(request)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        if formset.model is ShopMember:
            save_members(formset)
        else:
            super().save_formset(request, form, formset, change)

    def save_model(self, _request: HttpRequest, shop: Shop, _form: Any, _change: bool) -> None:
        changes.save(shop)

    def delete_model(self, _request: HttpRequest, shop: Shop) -> None:
        changes.delete(shop)

    def delete_queryset(self, _request: HttpRequest, shops: ShopQuerySet) -> None:
        changes.delete_many(shops)

    @display(description=_("shop"), header=True, ordering=TextOrder("name"))
    def heading(self, shop: Shop) -> list[str]:
        return [shop.name, shop.address]

    @display(description=_("area"), ordering=TextOrder("area"))
    def place(self, shop: Shop) -> str:
        return f"{shop.city} · {shop.area}"

    @display(description=_("untranslated"), label=True)
    def untranslated(self, shop: Shop) -> str | None:
        return missing_label(shop, TRANSLATED) or None

    @display(description=_("rating"), ordering="rating")
    def stars(self, shop: Shop) -> str:
        return f"{shop.rating / 10:.1f}"

    @display(description=_("imported rating"))
    def imported_stars(self, shop: Shop) -> str:
        return f"{shop.imported_rating / 10:.1f}"

    @display(description=_("per person"), ordering="price")
    def per_person(self, shop: Shop) -> str:
        return money.format_amount(shop.price, shop.currency)

    @display(description=_("listed"), boolean=True, ordering="is_listed")
    def listed(self, shop: Shop) -> bool:
        return shop.is_listed

    @admin.action(description=_("Show on the site"), permissions=["list"])
    def list_them(self, request: HttpRequest, shops: ShopQuerySet) -> None:
        changed = changes.list_publicly(shops)
        self.message_user(
            request, ngettext("%d shop is on the site.", "%d shops are on the site.", changed) % changed
        )
        if waiting := shops.filter(needs_place=True).count():
            sentence = ngettext(
                "%d shop needs a place first: write its latitude and longitude.",
                "%d shops need a place first: write their latitude and longitude.",
                waiting,
            )
            self.message_user(request, sentence % waiting, messages.WARNING)

    @admin.action(description=_("Hide from the site"), permissions=["list"])
    def unlist_them(self, request: HttpRequest, shops: ShopQuerySet) -> None:
        changed = changes.update(shops, is_listed=False)
        self.message_user(request, ngettext("%d shop is hidden.", "%d shops are hidden.", changed) % changed)


@admin.register(ShopType)
class ShopTypeAdmin(ModelAdmin):
    list_display = (*columns("name"), "slug", "icon", "position", "number")
    search_fields = (*columns("name"), "slug")
    fields = (columns("name"), "slug", "icon", "position", "has_dishes")
    ordering = ("position",)
    prepopulated_fields: ClassVar = {"slug": ("name_en",)}

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A new type comes last on the home page."""
        return {"position": next_position(ShopType)} | super().get_changeform_initial_data(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ShopType]:
        types: Any = super().get_queryset(request)
        return types.annotate(number=Count("shops"))

    def save_model(self, _request: HttpRequest, shop_type: ShopType, _form: Any, _change: bool) -> None:
        changes.save_type(shop_type)

    @display(description=_("shops"), ordering="number")
    def number(self, shop_type: Any) -> int:
        return int(shop_type.number)


@admin.register(City)
class CityAdmin(ModelAdmin):
    """Cities; every write goes through shops.changes."""

    form = CityForm
    list_display = (*columns("name"), "slug", "position", "opened")
    search_fields = (*columns("name"), "slug")
    fieldsets = (
        (None, {"fields": (columns("name"), "reach", "slug", "position", ("is_open", "opens_empty"))}),
        (
            _("Clock and calendar"),
            {
                "fields": ("time_zone", "holidays"),
                "description": format_lazy(
                    _("Its coupons are sold in {currency}, the currency of the whole site (CURRENCY)."),
                    currency=settings.CURRENCY,
                ),
            },
        ),
        (
            _("On the map"),
            {
                "fields": ("on_map", "from_map", ("lat", "lng"), ("south", "north"), ("west", "east")),
                "description": _(
                    "Where a name doesn't say it, or says it wrong. In degrees, as maps show them; shops "
                    "between the edges are the city's: its filters, rankings and map count them."
                ),
            },
        ),
    )
    prepopulated_fields: ClassVar = {"slug": ("name_en",)}

    def get_readonly_fields(self, _request: HttpRequest, obj: City | None = None) -> tuple[str, ...]:
        """Addresses, cookies and rankings keep a slug."""
        return ("slug", "on_map") if obj else ()

    def get_fieldsets(self, request: HttpRequest, obj: City | None = None) -> Any:
        """A new city comes with its name; what a map shows of it is there once it is saved."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj:
            return fieldsets
        name, place = fieldsets[0], fieldsets[-1]
        fields = tuple(field for field in place[1]["fields"] if field != "on_map")
        words = _(
            "Of a large city one name is enough, “Kyoto” or “京都”: the site knows where it lies, its other "
            "name and its clock."
        )
        return (
            (name[0], name[1] | {"description": words}),
            (place[0], place[1] | {"fields": fields, "classes": ("collapse",)}),
            *fieldsets[1:-1],
        )

    def get_prepopulated_fields(self, _request: HttpRequest, obj: City | None = None) -> Any:
        return {} if obj else self.prepopulated_fields

    def save_model(self, request: HttpRequest, city: City, _form: Any, change: bool) -> None:
        changes.save_city(city)
        if not (change or city.is_open):
            text = _("Nobody sees {city} yet. <a href='{url}'>Import its shops</a>, then switch Open on.")
            url = reverse("admin:shops_shop_import")
            messages.info(request, format_html(str(text), city=city, url=url))

    def delete_model(self, _request: HttpRequest, city: City) -> None:
        changes.delete_city(city)

    def delete_queryset(self, _request: HttpRequest, rows: QuerySet[City]) -> None:
        for city in rows:
            changes.delete_city(city)

    @display(description=_("The site's box"))
    def on_map(self, city: City) -> Any:
        """How large the city's box is and how many shops lie in it, and the place on OpenStreetMap."""
        box = city.bounds
        height = areas.distance_metres(box.south, city.lng, box.north, city.lng)
        width = areas.distance_metres(city.lat, box.west, city.lat, box.east)
        number = Shop.objects.open_to_public().within(box).count()
        shops = ngettext("%(number)s shop in it", "%(number)s shops in it", number) % {
            "number": intcomma(number)
        }
        return format_html(
            '{} × {} km · {} · <a class="sv-link" href="{}" target="_blank" rel="noreferrer">{}</a>',
            round(width / 1_000),
            round(height / 1_000),
            shops,
            f"https://www.openstreetmap.org/?mlat={city.lat}&mlon={city.lng}#map=11/{city.lat}/{city.lng}",
            _("Look at it on OpenStreetMap"),
        )

    @display(description=_("open"), boolean=True, ordering="is_open")
    def opened(self, city: City) -> bool:
        return city.is_open
