"""Loading ads into Redis from SQL: counts and money first, then campaigns, at last the index that serves."""

from datetime import date, timedelta
from typing import cast

from django.db.models import Sum
from django.utils import timezone

from apps.ads import index, keys
from apps.ads.learning.repricing import DAY_COLUMNS, EVENTS, TOTALS
from apps.ads.models import Ad, AdWord, Campaign, Charge, DailyCount
from apps.ads.money import campaign_state
from apps.redis_kit import client, scripts
from apps.redis_kit.schema import ReportProgress
from apps.web import batches

BATCH_ADS = 500
#: Redis knows a campaign for so long after its end.
KEPT_AFTER_END = timedelta(days=1)

RAISE = scripts.Script("raise_counts", package="apps.ads.money", reply=int)


def rebuild(report: ReportProgress) -> int:
    """Load every campaign that isn't over and its ads; reports (done, total), returns how many ads.

    Nothing that Redis has is lowered, so it is safe while ads are served. After a lost Redis the charges that
    were still in the stream are gone: they are never paid, and their money counts as unspent.
    """
    campaigns = list(Campaign.objects.unfinished(timezone.now()).select_related("advertiser"))
    ads = Ad.objects.filter(campaign__in=[campaign.pk for campaign in campaigns])
    total, done = ads.count(), 0
    _load_types()
    today = timezone.localdate()
    for day in (today - timedelta(days=1), today):
        _load_day(day)
    for ad_ids in batches.iter_pk_chunks(ads, BATCH_ADS):
        load_counts(ad_ids)
    for campaign in campaigns:
        campaign_state.put(campaign)
    for ad_ids in batches.iter_pk_chunks(ads, BATCH_ADS):
        done += index.put_many(list(index.with_targets(Ad.objects.filter(pk__in=ad_ids))))
        report(done, total)
    return done


def is_loaded() -> bool:
    """Whether Redis holds campaigns at all: False after it was emptied."""
    return bool(client.get().exists(keys.CAMPAIGNS()))


def load_if_lost() -> int:
    """Load everything when Redis holds no campaign and SQL has some; how many ads."""
    if is_loaded() or not Campaign.objects.unfinished(timezone.now()).exists():
        return 0
    return rebuild(lambda _done, _total: None)


def remove_finished() -> int:
    """Take the ads of campaigns that are over, off or spent out of every place; how many campaigns.

    Their rules stay for a day, in which tickets may still come back.
    """
    known = cast(list[str], client.get().hkeys(keys.CAMPAIGNS()))
    finished = [campaign for campaign in Campaign.objects.filter(pk__in=known) if not campaign.is_unfinished]
    for campaign in finished:
        index.put_campaign_ads(campaign.pk)
        if campaign.ends_at and campaign.ends_at < timezone.now() - KEPT_AFTER_END:
            _forget(campaign)
    return len(finished)


def raise_counts(key: str, counts: dict[str, int], *, ttl: int = 0) -> int:
    """Raise the numbers of a hash to at least these; how many were smaller."""
    args: list[scripts.Arg] = [ttl]
    for field, number in counts.items():
        args += [field, number] if number else []
    return RAISE(client.get(), keys=[key], args=args) if len(args) > 1 else 0


def _load_types() -> None:
    counts: dict[str, int] = {}
    for pricing in Campaign.Pricing.values:
        sums = Ad.objects.filter(campaign__pricing=pricing).aggregate(*map(Sum, EVENTS))
        counts |= {f"{pricing}:{name}": sums[f"{name}__sum"] or 0 for name in EVENTS}
    raise_counts(keys.TYPES(), counts)


def load_counts(ad_ids: list[int]) -> None:
    """Raise the counts of ads in Redis to those of their rows."""
    counts: dict[int, dict[str, int]] = {}
    for ad in Ad.objects.filter(pk__in=ad_ids):
        counts[ad.pk] = {name: getattr(ad, name) for name in TOTALS}
    for word in AdWord.objects.filter(ad__in=ad_ids):
        counts[word.ad_id] |= {f"{name}:{word.word}": getattr(word, name) for name in EVENTS}
    for ad_id, own in counts.items():
        raise_counts(keys.COUNTS(ad=ad_id), own)


def _load_day(day: date) -> None:
    """A day's counts, and what its campaigns spent."""
    counts: dict[str, int] = {}
    for row in DailyCount.objects.filter(day=day):
        counts |= {f"{row.ad_id}:{name}": getattr(row, column) for name, column in DAY_COLUMNS.items()}
    charges = Charge.objects.filter(charged_at__date=day).values_list("campaign")
    spent = {str(campaign): micros for campaign, micros in charges.annotate(Sum("micros"))}
    name = keys.day_name(day)
    raise_counts(keys.DAY(day=name), counts, ttl=keys.DAY_TTL_SECONDS)
    raise_counts(keys.SPENT(day=name), spent, ttl=keys.DAY_TTL_SECONDS)


def _forget(campaign: Campaign) -> None:
    """Remove a finished campaign and its ads' records; an edit brings them back."""
    ad_ids = [str(pk) for pk in campaign.ads.values_list("pk", flat=True)]
    with client.get().pipeline(transaction=False) as pipe:
        for key in (keys.CAMPAIGNS(), keys.LEFT(), keys.BUDGETS()):
            pipe.hdel(key, str(campaign.pk))
        if ad_ids:
            pipe.hdel(keys.ADS(), *ad_ids)
        pipe.execute()
