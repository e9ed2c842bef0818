"""What a shop's page says of itself to search engines and previews."""

from typing import Any

from apps.shops import shop_hours
from apps.shops.models import Shop
from apps.web.page_metadata import PageMetadata

#: Slugs of shop types that are more than a LocalBusiness to schema.org.
SCHEMA_TYPES = {
    "food": "Restaurant",
    "bar": "BarOrPub",
    "nails": "NailSalon",
    "hair": "HairSalon",
    "spa": "DaySpa",
    "massage": "HealthAndBeautyBusiness",
    "fitness": "ExerciseGym",
    "ktv": "EntertainmentBusiness",
}


def describe(shop: Shop) -> PageMetadata:
    """The metadata of a shop's own page."""
    place = f"{shop.area}, {shop.city}"
    return PageMetadata(
        title=shop.name,
        description=shop.about or f"{shop.type.name}, {place}",
        image=shop.preview_url,
        kind="business.business",
        data=name_shop(shop) | _facts(shop),
    )


def name_shop(shop: Shop) -> dict[str, Any]:
    """A shop as part of something else's data: its type, name and page."""
    kind = SCHEMA_TYPES.get(shop.type.slug, "LocalBusiness")
    return {"@type": kind, "name": shop.name, "url": shop.get_absolute_url()}


def _facts(shop: Shop) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "image": shop.preview_url,
        "address": {
            "@type": "PostalAddress",
            "streetAddress": shop.address,
            "addressLocality": shop.city,
        },
        "geo": {"@type": "GeoCoordinates", "latitude": shop.lat, "longitude": shop.lng},
    }
    facts |= shop_hours.build_schema_org(shop)
    if shop.phone:
        facts["telephone"] = shop.phone
    if shop.reviews:
        rating = {"ratingValue": shop.stars, "reviewCount": shop.reviews, "bestRating": 5}
        facts["aggregateRating"] = {"@type": "AggregateRating", **rating}
    return facts
