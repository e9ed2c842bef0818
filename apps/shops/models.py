"""Shops and their types: the tables, and the queries about one table."""

import uuid
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.files import RowPictureField
from apps.accounts.text_fields import LineField, LinesField
from apps.shops import areas, hours, money
from apps.shops.covers import scene
from apps.shops.covers.scene import Look
from apps.web import in_language, object_urls
from apps.web.in_language import InLanguage

#: What notes may score besides their stars: columns of notes (1 to 5) and of shops (mean in tenths).
SCORES = ("taste", "room", "service")


class ShopType(models.Model):
    """A kind of shop (food, KTV, hair …) by `position` on the home page; save it with shops.changes."""

    slug = models.SlugField(_("name in addresses"), unique=True)
    name_en = models.CharField(_("English name"), max_length=32)
    name_zh = models.CharField(_("Chinese name"), max_length=32)
    icon = models.CharField(_("icon"), max_length=32, help_text=_("a symbol of the icon sprite"))
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    has_dishes = models.BooleanField(
        _("people recommend dishes"),
        default=False,
        help_text=_("Notes may name dishes or drinks, and the shop's page shows the most recommended ones."),
    )

    name = InLanguage("name")

    class Meta:
        ordering: ClassVar = ["position", "id"]
        verbose_name = _("shop type")
        verbose_name_plural = _("shop types")

    def __str__(self) -> str:
        return self.name


class City(models.Model):
    """A city that readers choose; newcomers start in the first one by `position`. Save it with shops.changes.

    Its shops are those within its bounds, in degrees; a city that isn't open is on no page.
    """

    slug = models.SlugField(
        _("name in addresses"),
        max_length=40,
        unique=True,
        # Also what nginx takes for a city in a cookie: deploy/nginx.conf.
        validators=[
            RegexValidator(r"^[a-z0-9]+(-[a-z0-9]+)*\Z", _("Write small letters, digits and single hyphens."))
        ],
        help_text=_("Addresses, cookies and rankings keep it: it can't be changed later."),
    )
    name_en = models.CharField(_("English name"), max_length=50, blank=True)
    name_zh = models.CharField(_("Chinese name"), max_length=50, blank=True)
    lat = models.FloatField(_("latitude of the centre"))
    lng = models.FloatField(_("longitude of the centre"))
    south = models.FloatField(_("southern edge"))
    west = models.FloatField(_("western edge"))
    north = models.FloatField(_("northern edge"))
    east = models.FloatField(_("eastern edge"))
    position = models.PositiveSmallIntegerField(
        _("position"), default=0, help_text=_("Newcomers start in the open city with the smallest number.")
    )
    is_open = models.BooleanField(pgettext_lazy("city", "open"), default=True)
    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        default="",
        db_default="",
        validators=[hours.validate_zone],
        help_text=_("Such as Asia/Shanghai: its shops open and close by this clock. Empty is the site's."),
    )
    holidays = models.TextField(
        _("public holidays"),
        max_length=6_000,
        blank=True,
        default="",
        db_default="",
        validators=[hours.validate_holidays],
        help_text=_(
            "A line each: a day or the first and the last, then the name. "
            "“2026-10-01 2026-10-07 National Day”. Shops say in their hours whether they follow them."
        ),
    )

    name = InLanguage("name")
    #: The slug of all cities together, which is no row: cities.everywhere.
    ALL = "all"

    class Meta:
        ordering: ClassVar = ["position", "id"]
        verbose_name = pgettext_lazy("admin", "city")
        verbose_name_plural = _("cities")

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        in_language.require_either(self, ("name",))
        if self.slug == self.ALL:
            raise ValidationError({"slug": _("Addresses call all cities together so: choose another name.")})
        if None not in (self.lat, self.lng, self.south, self.west, self.north, self.east):
            self._refuse_wrong_bounds()

    @property
    def is_everywhere(self) -> bool:
        """Whether it is no single city: all cities together, or the area of a site without cities."""
        return self.slug in ("", self.ALL)

    @property
    def calendar(self) -> hours.Calendar:
        """Its clock, the site's unless it has its own, and its public holidays."""
        return hours.build_calendar(self.time_zone or settings.TIME_ZONE, self.holidays)

    @property
    def centre(self) -> areas.Point:
        return areas.Point(self.lat, self.lng)

    @property
    def bounds(self) -> areas.Box:
        return areas.Box(self.south, self.west, self.north, self.east)

    @property
    def radius_m(self) -> int:
        """Metres from the centre to the farthest edge, for lists by distance."""
        edges = [
            areas.Point(self.south, self.lng),
            areas.Point(self.north, self.lng),
            areas.Point(self.lat, self.west),
            areas.Point(self.lat, self.east),
        ]
        return min(areas.MAX_RADIUS_M, max(1, round(max(map(self.centre.distance, edges)))))

    def set_bounds_around(self, radius_m: float) -> None:
        """Make the bounds those of a circle around the centre."""
        box = areas.Box.around(self.centre, radius_m)
        self.south, self.west, self.north, self.east = box.south, box.west, box.north, box.east

    def _refuse_wrong_bounds(self) -> None:
        try:
            centre, bounds = self.centre, self.bounds
        except areas.BadArea as error:
            raise ValidationError(
                _(
                    "Write the edges in degrees: south below north, west left of east, "
                    "latitudes from -85.05 to 85.05, longitudes from -180 to 180."
                )
            ) from error
        if not bounds.contains(centre.lat, centre.lng):
            raise ValidationError({"lat": _("The centre must lie between the edges.")})
        if bounds.reach_m > 2 * areas.MAX_RADIUS_M:
            raise ValidationError(_("The edges are too far apart: a city is at most 100 km across."))


class ShopQuerySet(models.QuerySet["Shop"]):
    def open_to_public(self) -> Self:
        return self.filter(is_listed=True)

    def on_map(self) -> Self:
        """Shops at places that Redis GEO can hold."""
        return self.within(areas.Box(-areas.MAX_LATITUDE, -180, areas.MAX_LATITUDE, 180))

    def within(self, *boxes: areas.Box) -> Self:
        """Shops in any of the windows; takes at least one."""
        sides = [Q(lat__range=(box.south, box.north), lng__range=(box.west, box.east)) for box in boxes]
        return self.filter(reduce(or_, sides))


def format_place(area: str, city: str) -> str:
    """ "Hubin, Hangzhou"; area or city alone when the other is unknown."""
    if not (area and city):
        return area or city
    return gettext("%(area)s, %(city)s") % {"area": area, "city": city}


class Shop(models.Model):
    """A shop. `rating` is in tenths (47 = 4.7), `price` a person in minor units.

    `schedule` says when it is open, as hours.dump writes it, "" while unknown; see shops.shop_hours.
    Hours in words are read into it, and are shown where they aren't understood. `nearest_city` has its
    clock and its holidays: shops.changes keeps both.

    Write shops with the verbs of shops.changes, which keep the GEO index and the cached pages in step.
    `rating` and the scores (in tenths, 0 for none) follow from this site's notes, `reviews` is the number of
    notes with stars: shops.ratings.
    """

    type = models.ForeignKey(
        ShopType, models.PROTECT, related_name="shops", verbose_name=_("type"), db_index=False
    )
    name_en = models.CharField(_("English name"), max_length=80, blank=True)
    name_zh = models.CharField(_("Chinese name"), max_length=80, blank=True)
    about_en = models.TextField(_("about, in English"), blank=True, max_length=2000)
    about_zh = models.TextField(_("about, in Chinese"), blank=True, max_length=2000)
    city_en = models.CharField(_("city, in English"), max_length=50, blank=True)
    city_zh = models.CharField(_("city, in Chinese"), max_length=50, blank=True)
    area_en = models.CharField(_("area, in English"), max_length=80, blank=True)
    area_zh = models.CharField(_("area, in Chinese"), max_length=80, blank=True)
    address_en = models.CharField(_("address, in English"), max_length=200, blank=True)
    address_zh = models.CharField(_("address, in Chinese"), max_length=200, blank=True)
    phone = models.CharField(_("phone"), max_length=24, blank=True)
    hours_en = models.CharField(_("hours in words, in English"), max_length=255, blank=True)
    hours_zh = models.CharField(_("hours in words, in Chinese"), max_length=255, blank=True)
    schedule = models.TextField(_("opening hours"), blank=True, default="", db_default="")
    nearest_city = models.ForeignKey(
        City, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )
    lng = models.FloatField(_("longitude"), validators=[MinValueValidator(-180), MaxValueValidator(180)])
    # GEOADD refuses latitudes past the Web Mercator square.
    lat = models.FloatField(_("latitude"), validators=[MinValueValidator(-85.05), MaxValueValidator(85.05)])
    price = models.PositiveIntegerField(_("price per person"), help_text=_("in minor units"))
    currency = models.CharField(max_length=3, default=money.site_currency)
    rating = models.PositiveSmallIntegerField(
        _("rating, in tenths"), default=0, validators=[MaxValueValidator(50)]
    )
    reviews = models.PositiveIntegerField(_("notes with stars"), default=0)
    imported_rating = models.PositiveSmallIntegerField(
        _("imported rating, in tenths"), default=0, validators=[MaxValueValidator(50)]
    )
    taste = models.PositiveSmallIntegerField(_("taste, in tenths"), default=0, editable=False)
    room = models.PositiveSmallIntegerField(_("room, in tenths"), default=0, editable=False)
    service = models.PositiveSmallIntegerField(_("service, in tenths"), default=0, editable=False)
    popularity = models.PositiveIntegerField(_("popularity"), default=0)
    picture = RowPictureField(_("picture"), upload_to="shops/", blank=True)
    # Kept by coupons.catalog.shops_with_vouchers.
    vouchers_until = models.DateTimeField(null=True, editable=False)
    is_listed = models.BooleanField(_("listed"), default=True)
    # Came without coordinates, which are 0 until somebody says them; it can't be listed before.
    needs_place = models.BooleanField(_("needs a place"), default=False, db_default=False, editable=False)
    reference = models.CharField(
        _("number in another source"),
        max_length=80,
        blank=True,
        default="",
        db_default="",
        help_text=_("By this a file that is imported again finds the shop: node/123 of OpenStreetMap."),
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    name, about, city = InLanguage("name"), InLanguage("about"), InLanguage("city")
    area, address, hours = InLanguage("area"), InLanguage("address"), InLanguage("hours")

    objects = ShopQuerySet.as_manager()
    #: Metres from the centre of the list that shows it (lists.nearby); not a column.
    distance_m: int | None = None
    #: The photos of a shop that comes from shop_cache; not a column.
    own_photos: "Sequence[ShopPhoto]" = ()

    class Meta:
        verbose_name = _("shop")
        verbose_name_plural = _("shops")
        permissions: ClassVar = [
            ("see_all_shops", _("Can see the rows of every shop, not just of their own"))
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["reference"], condition=~Q(reference=""), name="shops_one_reference"
            ),
            models.CheckConstraint(
                condition=Q(needs_place=False) | Q(is_listed=False),
                name="shops_listed_have_a_place",
                violation_error_message=_("Say where the shop is before it is shown on the site."),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["name_en"], name="shops_by_english_name"),
            models.Index(fields=["name_zh"], name="shops_by_chinese_name"),
            models.Index(fields=["city_en", "city_zh"], name="shops_by_city"),
            models.Index(fields=["type", "-rating", "-id"]),
            models.Index(fields=["type", "-popularity", "-id"]),
            models.Index(fields=["type", "price", "id"]),
            models.Index(fields=["-rating", "-id"]),
            models.Index(fields=["-popularity", "-id"]),
            models.Index(fields=["price", "id"]),
            models.Index(fields=["lat", "lng"]),
            models.Index(
                fields=["vouchers_until"],
                condition=Q(vouchers_until__isnull=False),
                name="shops_with_vouchers",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        in_language.require_either(self, ("name", "city"))

    def get_absolute_url(self) -> str:
        return object_urls.build("shops:detail", self.pk)

    @property
    def place(self) -> str:
        """Area and city."""
        return format_place(self.area, self.city)

    @property
    def cover_url(self) -> str:
        """The picture of cards: the uploaded one, or the drawn cover."""
        return self._picture_url(uploads.CARD_PIXELS)

    @property
    def look(self) -> Look:
        """How its drawn cover looks."""
        return scene.choose_look(self.type.slug, self.name_en, self.name_zh, self.pk)

    @property
    def thumbnail_url(self) -> str:
        """The picture of rows: the uploaded one, or the drawn cover."""
        return self._picture_url(uploads.ROW_PIXELS)

    @property
    def lead_url(self) -> str:
        """The picture of pages: the uploaded one as it is, or the drawn cover."""
        return self.picture.url if self.picture else object_urls.build("shops:cover", self.pk)

    def _picture_url(self, width: int) -> str:
        own = self.picture.url if self.picture else ""
        return files.address(own, width) if own else object_urls.build("shops:cover", self.pk)

    @property
    def preview_url(self) -> str:
        """The picture that previews of links show: no SVG."""
        return self.picture.url if self.picture else object_urls.build("shops:cover_png", self.pk)

    @property
    def stars(self) -> float:
        """0.0 to 5.0."""
        return self.rating / 10

    @property
    def scores(self) -> dict[str, float | None]:
        """The mean of each of SCORES, 1.0 to 5.0, None for one that no note gave."""
        return {name: getattr(self, name) / 10 or None for name in SCORES}


class OpenSpan(models.Model):
    """A span of a shop's hours, by which lists find open shops: shop_hours writes and asks them.

    A row of hours.flatten: `days` are bits from Monday on, hours.HOLIDAYS, or 0 for an exception.
    """

    shop = models.ForeignKey(Shop, models.CASCADE, related_name="open_spans", db_index=False)
    days = models.PositiveSmallIntegerField()
    first = models.DateField(null=True)
    last = models.DateField(null=True)
    opens = models.PositiveSmallIntegerField(null=True)
    closes = models.PositiveSmallIntegerField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["shop", "days"], name="shops_open_spans_of_a_shop")]

    def __str__(self) -> str:
        return f"{self.opens}–{self.closes}"


class ShopMember(models.Model):
    """A person who works at a shop: an owner runs it here, a cashier redeems coupons; see shops.members."""

    class Role(models.TextChoices):
        OWNER = "owner", pgettext_lazy("shop", "owner")
        CASHIER = "cashier", _("cashier")

    shop = models.ForeignKey(
        Shop, models.CASCADE, related_name="members", verbose_name=_("shop"), db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    role = models.CharField(_("role"), max_length=7, choices=Role, default=Role.CASHIER)
    created_at = models.DateTimeField(_("since"), default=timezone.now)

    class Meta:
        verbose_name = _("person of a shop")
        verbose_name_plural = _("people of shops")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["shop", "user"], name="shops_one_membership"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "cashier"]), name="shops_member_role_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()}"


class ShopGuest(models.Model):
    """A person who has used a coupon at a shop; coupons write it in the transaction that redeems one."""

    shop = models.ForeignKey(
        Shop, models.CASCADE, related_name="guests", verbose_name=_("shop"), db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )

    class Meta:
        verbose_name = _("guest of a shop")
        verbose_name_plural = _("guests of shops")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["shop", "user"], name="shops_guest_once_a_shop")
        ]

    def __str__(self) -> str:
        return f"{self.shop_id} · {self.user_id}"


class ShopClaim(models.Model):
    """A person's claim that a shop is theirs, with a proof for staff; see shops.claims.

    With `is_new` they have proposed the shop itself, which is off the site until staff says yes.
    """

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("claim", "open")
        ACCEPTED = "accepted", pgettext_lazy("claim", "accepted")
        REFUSED = "refused", pgettext_lazy("claim", "refused")

    shop = models.ForeignKey(Shop, models.CASCADE, related_name="claims", verbose_name=_("shop"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="+",
        verbose_name=_("person"),
        db_index=False,
    )
    is_new = models.BooleanField(_("proposes the shop"), default=False)
    is_owner = models.BooleanField(_("says it is theirs"), default=True)
    text = LinesField(_("proof"), max_length=1000, blank=True)
    picture = models.ImageField(_("picture"), upload_to="claims/", blank=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.OPEN)
    reason = LinesField(_("reason"), max_length=500, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("decided by")
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    created_at = models.DateTimeField(pgettext_lazy("moment", "sent"), default=timezone.now)

    class Meta:
        verbose_name = _("claim of a shop")
        verbose_name_plural = _("claims of shops")
        permissions: ClassVar = [("decide_shopclaim", _("Can decide who owns a shop"))]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["shop", "user"], condition=Q(state="open"), name="shops_one_open_claim"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "state"])]

    def __str__(self) -> str:
        return f"{self.shop} · {self.user}"


class ShopCorrection(models.Model):
    """A person's report that something about a shop is wrong; see shops.claims.corrections."""

    class Kind(models.TextChoices):
        CLOSED = "closed", _("It has closed for good")
        MOVED = "moved", _("It has moved")
        HOURS = "hours", _("The opening hours are wrong")
        PHONE = "phone", _("The phone number is wrong")
        TWICE = "twice", _("It is here twice")

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("claim", "open")
        ACCEPTED = "accepted", pgettext_lazy("claim", "accepted")
        REFUSED = "refused", pgettext_lazy("claim", "refused")

    shop = models.ForeignKey(Shop, models.CASCADE, related_name="corrections", verbose_name=_("shop"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    kind = models.CharField(_("what is wrong"), max_length=6, choices=Kind)
    value = LineField(_("what is right"), max_length=200, blank=True)
    text = LinesField(_("in their words"), max_length=500, blank=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("decided by")
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    created_at = models.DateTimeField(pgettext_lazy("moment", "sent"), default=timezone.now)

    class Meta:
        verbose_name = _("correction of a shop")
        verbose_name_plural = _("corrections of shops")
        permissions: ClassVar = [("decide_shopcorrection", _("Can decide what is corrected about a shop"))]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["shop", "user", "kind"], condition=Q(state="open"), name="shops_one_open_correction"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["shop"], condition=Q(state="open"), name="shops_open_corrections")
        ]

    def __str__(self) -> str:
        return f"{self.shop} · {self.get_kind_display()}"


def new_photo_name() -> str:
    """An unguessable file name: 32 hexadecimal digits."""
    return uuid.uuid4().hex


class ShopPhoto(models.Model):
    """A photo that a shop shows of itself: two files, and a row with its size in pixels.

    Write them with the verbs of shops.photos.shop_photos.
    """

    shop = models.ForeignKey(Shop, models.CASCADE, related_name="photos", verbose_name=_("shop"))
    name = models.CharField(max_length=32, unique=True, default=new_photo_name, editable=False)
    caption_en = models.CharField(_("English caption"), max_length=80, blank=True)
    caption_zh = models.CharField(_("Chinese caption"), max_length=80, blank=True)
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    width = models.PositiveIntegerField(editable=False)
    height = models.PositiveIntegerField(editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    caption = InLanguage("caption")

    class Meta:
        verbose_name = _("photo of the shop")
        verbose_name_plural = _("photos of the shop")
        ordering: ClassVar = ["position", "id"]

    def __str__(self) -> str:
        return self.caption or self.name

    @property
    def url(self) -> str:
        """The URL of the large file."""
        return object_urls.build("shops:picture", self.name)

    @property
    def card_url(self) -> str:
        """The URL of the small file that lists show."""
        return object_urls.build("shops:picture", f"{self.name}-card")
