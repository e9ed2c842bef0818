"""The verbs that write campaigns and ads: rows first, then Redis; a smaller budget the other way round."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from apps.ads import index, targeting
from apps.ads.models import Ad, AdLocation, AdWord, Campaign
from apps.ads.money import campaign_state
from apps.queues import owed
from apps.redis_kit import client
from apps.web.problems import Problem

#: What save_campaign writes of a campaign that exists; its budget has a verb of its own.
EDITABLE = (
    *("advertiser", "name", "pricing", "price_micros", "daily_cap_micros", "views_per_person"),
    *("begins_at", "ends_at", "is_on", "revision"),
)


def save_campaign(campaign: Campaign) -> Campaign:
    """Create a campaign, or write all of an existing one but its budget."""
    with transaction.atomic():
        if campaign._state.adding:
            campaign.save()
        else:
            campaign.revision = _lock(campaign.pk).revision + 1
            campaign.save(update_fields=EDITABLE)
        owed.run_after_commit(write_campaign, campaign.pk)
    return campaign


def change_budget(campaign_id: int, budget_micros: int) -> Campaign:
    """Give a campaign another budget, also while it runs; Problem 409 budget_spent below what is spent.

    A smaller one is taken from Redis before it is committed, so that no click is charged against the old one:
    Problem 503 busy while Redis is away.
    """
    with transaction.atomic():
        campaign = _lock(campaign_id)
        is_smaller = budget_micros < campaign.budget_micros
        if budget_micros < campaign.charged_micros:
            raise _budget_spent()
        campaign.budget_micros, campaign.revision = budget_micros, campaign.revision + 1
        campaign.save(update_fields=["budget_micros", "revision"])
        if is_smaller:
            _lower_now(campaign)
        owed.run_after_commit(write_campaign, campaign_id)
    return campaign


def switch_campaign(campaign_id: int, *, on: bool) -> Campaign:
    """Stop a campaign, or let it go on; a stopped one is served nowhere and charged nothing."""
    campaign = Campaign.objects.get(pk=campaign_id)
    campaign.is_on = on
    return save_campaign(campaign)


def save_ad(ad: Ad, *, locations: Iterable[tuple[str, str]], words: Iterable[str]) -> Ad:
    """Create or write an ad with its places ((city, area), empty for any) and its content words."""
    with transaction.atomic():
        if ad.pk is not None:
            ad.revision = Ad.objects.select_for_update().get(pk=ad.pk).revision + 1
        ad.save()
        _write_locations(ad, set(locations))
        _write_words(ad, targeting.normalize_words(words, limit=targeting.MAX_AD_WORDS))
        owed.run_after_commit(write_ad, ad.pk)
    return ad


def switch_ad(ad_id: int, *, on: bool) -> None:
    """Stop one ad of a campaign, or let it go on."""
    with transaction.atomic():
        Ad.objects.filter(pk=ad_id).update(is_on=on, revision=F("revision") + 1)
        owed.run_after_commit(write_ad, ad_id)


def write_campaign(campaign_id: int) -> None:
    """Write a campaign and its ads into Redis as their rows are."""
    campaign_state.put(Campaign.objects.select_related("advertiser").get(pk=campaign_id))
    index.put_campaign_ads(campaign_id)


def write_ad(ad_id: int) -> None:
    """Write an ad into Redis as its row is."""
    index.put(index.with_targets(Ad.objects.all()).get(pk=ad_id))


def _lock(campaign_id: int) -> Campaign:
    return Campaign.objects.select_for_update().get(pk=campaign_id)


def _lower_now(campaign: Campaign) -> None:
    try:
        answer = campaign_state.put(campaign)
    except client.UNAVAILABLE as error:
        sentence = _("The budget can't be lowered right now. Try again in a moment.")
        raise Problem(503, "busy", sentence, retry_after=5) from error
    if answer is campaign_state.Put.SPENT:
        raise _budget_spent()


def _budget_spent() -> Problem:
    return Problem(409, "budget_spent", _("More than that is spent already."))


def _write_locations(ad: Ad, wanted: set[tuple[str, str]]) -> None:
    for location in AdLocation.objects.filter(ad=ad):
        if (location.city, location.area) not in wanted:
            location.delete()
    AdLocation.objects.bulk_create(
        [AdLocation(ad=ad, city=city, area=area) for city, area in sorted(wanted)], ignore_conflicts=True
    )


def _write_words(ad: Ad, wanted: list[str]) -> None:
    """Words that stay keep what they have learned."""
    AdWord.objects.filter(ad=ad).exclude(word__in=wanted).delete()
    AdWord.objects.bulk_create([AdWord(ad=ad, word=word) for word in wanted], ignore_conflicts=True)
