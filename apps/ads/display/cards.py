"""The answer of GET /api/ads: an ad as its box shows it."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.ads.display.subjects import Subject
from apps.ads.models import Ad
from apps.ads.serving import Served
from apps.web import in_language


def build(served: Served, subject: Subject) -> dict[str, Any] | None:
    """{"ticket", "ad"} in the reader's language; None when the ad has just been deleted."""
    ad = Ad.objects.select_related("campaign__advertiser", "shop").filter(pk=served.ad_id).first()
    return {"ticket": served.ticket, "ad": _card(ad, served, subject)} if ad else None


def _card(ad: Ad, served: Served, subject: Subject) -> dict[str, Any]:
    advertiser = ad.campaign.advertiser.name
    place = subject.place_names[subject.locations.index(served.location)]
    return {
        "id": ad.pk,
        "title": ad.title,
        "title_language": in_language.language_of(ad.title),
        "text": ad.text,
        "text_language": in_language.language_of(ad.text),
        "advertiser": advertiser,
        "advertiser_language": in_language.language_of(advertiser),
        "picture": ad.picture_url or None,
        "shop_id": ad.shop_id,
        "url": reverse("ads:follow", args=[ad.pk, served.ticket]),
        "why": explain(advertiser, place, readable_words(served.words)),
    }


def readable_words(words: Sequence[str]) -> Sequence[str]:
    """The words in the reader's language, for an ad has most of them in both; all if there are none."""
    language = "zh-Hans" if in_language.is_chinese() else "en"
    return [word for word in words if in_language.language_of(word) == language] or words


def explain(advertiser: str, place: str, words: Sequence[str]) -> str:
    """Why somebody sees an ad, in a sentence or two: who pays, for which place, which words matched."""
    if not words:
        return _("%(advertiser)s pays for this ad. It is meant for pages about %(place)s.") % {
            "advertiser": advertiser,
            "place": place,
        }
    quoted = pgettext("between words", ", ").join(_("“%(word)s”") % {"word": word} for word in words)
    return _(
        "%(advertiser)s pays for this ad. It is meant for pages about %(place)s and about %(words)s."
    ) % {
        "advertiser": advertiser,
        "place": place,
        "words": quoted,
    }
