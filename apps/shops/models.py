from typing import ClassVar, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class ShopType(models.Model):
    """Food, KTV, hair …: the ten of the source, in the order the home page shows them."""

    slug = models.SlugField(unique=True)
    name = models.CharField(_("name"), max_length=32)
    name_zh = models.CharField(_("Chinese name"), max_length=32)
    icon = models.CharField(_("icon"), max_length=32, help_text=_("a symbol of the icon sprite"))
    position = models.PositiveSmallIntegerField(_("position"), default=0)

    class Meta:
        ordering: ClassVar = ["position", "id"]
        verbose_name = _("shop type")

    def __str__(self) -> str:
        return self.name


class ShopQuerySet(models.QuerySet["Shop"]):
    def open_to_public(self) -> Self:
        return self.filter(is_listed=True)


class Shop(models.Model):
    """A place. `rating` is in tenths (47 = 4.7), `price` per person in minor units, `hours` as people write them."""

    type = models.ForeignKey(ShopType, models.PROTECT, related_name="shops", verbose_name=_("type"))
    name = models.CharField(_("name"), max_length=80)
    about = models.TextField(_("about"), blank=True, max_length=2000)
    city = models.CharField(_("city"), max_length=50)
    area = models.CharField(_("area"), max_length=80)
    address = models.CharField(_("address"), max_length=200)
    phone = models.CharField(_("phone"), max_length=24, blank=True)
    hours = models.CharField(_("opening hours"), max_length=80)
    lng = models.FloatField(_("longitude"), validators=[MinValueValidator(-180), MaxValueValidator(180)])
    # GEOADD refuses latitudes past the Web Mercator square.
    lat = models.FloatField(_("latitude"), validators=[MinValueValidator(-85.05), MaxValueValidator(85.05)])
    price = models.PositiveIntegerField(_("price per person"), help_text=_("in minor units (fen)"))
    currency = models.CharField(max_length=3, default="CNY")
    rating = models.PositiveSmallIntegerField(
        _("rating, in tenths"), default=0, validators=[MaxValueValidator(50)]
    )
    reviews = models.PositiveIntegerField(_("reviews"), default=0)
    popularity = models.PositiveIntegerField(_("popularity"), default=0)
    picture = models.ImageField(_("picture"), upload_to="shops/", blank=True)
    is_listed = models.BooleanField(_("listed"), default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ShopQuerySet.as_manager()

    class Meta:
        verbose_name = _("shop")
        indexes: ClassVar = [
            models.Index(fields=["type", "-rating", "-id"]),
            models.Index(fields=["type", "-popularity", "-id"]),
            models.Index(fields=["type", "price", "id"]),
            models.Index(fields=["-rating", "-id"]),
            models.Index(fields=["-popularity", "-id"]),
            models.Index(fields=["price", "id"]),
            models.Index(fields=["lat", "lng"]),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("shops:detail", args=[self.pk])
