"""Makes the demo's ads and their week in SQL, loads them into Redis, and makes the advertiser's log-in."""

import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.staff import role_groups
from apps.adminkit.roles import Role
from apps.ads import loading
from apps.ads.models import MICROS, Ad, AdLocation, Advertiser, AdWord, Campaign, Charge, DailyCount
from apps.demo.ads.plans import ADVERTISERS, AdPlan, AdvertiserPlan, CampaignPlan
from apps.demo.ads.week import DayOfAd, simulate
from apps.demo.logins import ADVERTISER_PHONE, MANAGER_PASSWORD
from apps.shops.models import Shop

#: What a campaign's pricing charges for.
CHARGED_EVENTS = {"cpc": "click", "cpa": "action", "cpm": "view"}
EVENTS = ("view", "click", "action")


def make(*, seed: int) -> int:
    """Make the ads with their week, and an advertiser's log-in; return how many, 0 with ads already."""
    if Ad.objects.exists():
        return 0
    now = timezone.now()
    with transaction.atomic():
        made = [
            _make_ad(campaign, plan, campaign_plan, now, f"{seed}:ad:{plan.title[0]}")
            for advertiser_plan in ADVERTISERS
            for campaign, campaign_plan in _make_campaigns(advertiser_plan, now)
            for plan in campaign_plan.ads
        ]
        _make_log_in()
    loading.rebuild(lambda _done, _total: None)
    return len(made)


def _make_log_in() -> None:
    """With DEMO or DEBUG, a person who sees the first advertiser's campaigns in the admin."""
    if not (settings.DEMO or settings.DEBUG) or User.objects.filter(phone=ADVERTISER_PHONE).exists():
        return
    user = User.objects.create_user(ADVERTISER_PHONE, MANAGER_PASSWORD, nickname="Lakeside", city="Hangzhou")
    role_groups.grant(user, Role.ADVERTISER)
    first = Advertiser.objects.order_by("pk").first()
    if first:
        first.members.add(user)


def _make_campaigns(plan: AdvertiserPlan, now: datetime) -> Iterator[tuple[Campaign, CampaignPlan]]:
    advertiser = Advertiser.objects.create(name_en=plan.name[0], name_zh=plan.name[1])
    for one in plan.campaigns:
        begins_at = now - timedelta(days=one.since_days)
        yield (
            Campaign.objects.create(
                advertiser=advertiser,
                name=one.name,
                pricing=one.pricing,
                price_micros=_micros(one.price),
                budget_micros=_micros(one.budget),
                daily_cap_micros=_micros(one.daily_cap),
                begins_at=begins_at,
                ends_at=begins_at + timedelta(days=one.lasts_days),
                is_on=one.is_on,
            ),
            one,
        )


def _make_ad(campaign: Campaign, plan: AdPlan, owner: CampaignPlan, now: datetime, seed: str) -> Ad:
    ad = Ad.objects.create(
        campaign=campaign,
        title_en=plan.title[0],
        title_zh=plan.title[1],
        text_en=plan.text[0],
        text_zh=plan.text[1],
        shop=_find_shop(plan),
    )
    AdLocation.objects.bulk_create(AdLocation(ad=ad, city=city, area=area) for city, area in plan.places)
    days = list(simulate(plan, until=now, seed=seed))
    _write_counts(ad, plan, days)
    _write_charges(ad, campaign, days)
    return ad


def _find_shop(plan: AdPlan) -> Shop:
    shops = Shop.objects.open_to_public().filter(type__slug=plan.kind, city_en=plan.city)
    found = list(shops.order_by("-popularity", "pk")[: plan.rank + 1])
    return found[-1] if found else Shop.objects.open_to_public().order_by("pk")[0]


def _write_counts(ad: Ad, plan: AdPlan, days: list[DayOfAd]) -> None:
    ad.views, ad.clicks, ad.actions, ad.invalid = (
        sum(day.counts[event] for day in days) for event in (*EVENTS, "invalid")
    )
    ad.save(update_fields=["views", "clicks", "actions", "invalid"])
    AdWord.objects.bulk_create(
        AdWord(ad=ad, word=word, **_sum_events(days, f":{word}")) for word in plan.words
    )


def _sum_events(days: list[DayOfAd], suffix: str) -> dict[str, int]:
    return {f"{event}s": sum(day.counts[f"{event}{suffix}"] for day in days) for event in EVENTS}


def _write_charges(ad: Ad, campaign: Campaign, days: list[DayOfAd]) -> None:
    """Charges, the days with what they cost, and the campaign's sum; a daily cap and the budget hold."""
    charges: list[Charge] = []
    counts: list[DailyCount] = []
    for day in days:
        spent = _charge_day(ad, campaign, day, charges)
        counted = {f"{event}s": day.counts[event] for event in EVENTS}
        counts.append(
            DailyCount(
                ad=ad,
                day=day.day,
                served=day.counts["served"],
                invalid=day.counts["invalid"],
                spent_micros=spent,
                **counted,
            )
        )
        campaign.charged_micros += spent
    Charge.objects.bulk_create(charges)
    DailyCount.objects.bulk_create(counts)
    campaign.save(update_fields=["charged_micros"])


def _charge_day(ad: Ad, campaign: Campaign, day: DayOfAd, charges: list[Charge]) -> int:
    event, cost, spent = CHARGED_EVENTS[campaign.pricing], campaign.cost_micros, 0
    others = sum(row.spent_micros for row in DailyCount.objects.filter(ad__campaign=campaign, day=day.day))
    room = campaign.budget_micros - campaign.charged_micros
    if campaign.daily_cap_micros:
        room = min(room, campaign.daily_cap_micros - others)
    for when, kind in day.events:
        if kind == event and spent + cost <= room:
            charges.append(_build_charge(ad, campaign, kind, when, len(charges)))
            spent += cost
    return spent


def _build_charge(ad: Ad, campaign: Campaign, kind: str, when: datetime, number: int) -> Charge:
    return Charge(
        campaign=campaign,
        ad=ad,
        kind=kind,
        ticket=secrets.token_urlsafe(16),
        micros=campaign.cost_micros,
        charged_at=when,
        stream_ms=int(when.timestamp() * 1000),
        stream_number=number,
    )


def _micros(yuan: str) -> int:
    return int(Decimal(yuan) * MICROS)
