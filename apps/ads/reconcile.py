"""Compares Redis with SQL's rows: what budgets have left, what days spent, rules, counts, unknown ads."""

from collections.abc import Iterator, Sequence
from typing import cast

from django.db.models import F, Q, Sum
from django.utils import timezone

from apps.ads import changes, index, keys, loading
from apps.ads.learning import prices, repricing
from apps.ads.models import Ad, Campaign, Charge
from apps.ads.money import campaign_state
from apps.redis_kit import client, scripts, transport
from apps.redis_kit.findings import Finding
from apps.web import batches
from apps.web.batches import chunked

BATCH_ADS = 200

CORRECT = scripts.Script("correct_left", package="apps.ads.money", reply=lambda raw: raw)

BATCH_SHOWN = 500
#: An ad and the key of the place that shows it.
Shown = tuple[str, str]


def check(fix: bool) -> list[Finding]:
    """Every difference from SQL's rows; `fix` repairs them. Raises client.UNAVAILABLE without Redis."""
    stored = cast(list[str], client.get().hkeys(keys.CAMPAIGNS()))
    known = Campaign.objects.filter(Q(pk__in=stored) | Q(pk__in=Campaign.objects.unfinished(timezone.now())))
    campaigns = list(known.order_by("pk"))
    differences = [*_check_charged(campaigns, fix), *_check_budgets(campaigns, fix)]
    differences += [*_check_left(campaigns, fix), *_check_spent(campaigns, fix)]
    for ad_ids in batches.iter_pk_chunks(Ad.objects.filter(campaign__in=campaigns), BATCH_ADS):
        ads = list(index.with_targets(Ad.objects.filter(pk__in=ad_ids)))
        differences += [*_check_counts(ads, fix), *_check_index(ads, fix)]
    return [*differences, *_check_strangers(fix)]


def _check_strangers(fix: bool) -> Iterator[Finding]:
    """Ads and places that only Redis knows; places twice, because ads move meanwhile."""
    unknown = find_unknown_ads()
    if fix:
        remove_ads(unknown)
    yield from (Finding(f"ad {ad_id}", "row", "indexed", "") for ad_id in unknown)
    suspects = find_misplaced()
    misplaced = suspects & find_misplaced() if suspects else suspects
    if fix:
        remove_misplaced(misplaced)
    yield from (Finding(f"ad {ad_id}", "place", place, "") for ad_id, place in sorted(misplaced))


def _check_charged(campaigns: Sequence[Campaign], fix: bool) -> Iterator[Finding]:
    """The campaigns' sums against their charges."""
    billed = Charge.objects.filter(is_billed=True, campaign__in=campaigns).values_list("campaign")
    sums = dict(billed.annotate(Sum("micros")))
    for campaign in campaigns:
        expected = sums.get(campaign.pk, 0)
        own = Campaign.objects.filter(pk=campaign.pk).exclude(charged_micros=expected)
        # A charge that is written between the two queries changes both: compare once more.
        if own.exists() and expected == _billed(campaign):
            yield Finding(f"campaign {campaign.pk}", "charged", str(own.get().charged_micros), str(expected))
            if fix:
                own.update(charged_micros=expected)


def _billed(campaign: Campaign) -> int:
    charges = Charge.objects.filter(is_billed=True, campaign=campaign)
    return charges.aggregate(total=Sum("micros"))["total"] or 0


def _check_budgets(campaigns: Sequence[Campaign], fix: bool) -> Iterator[Finding]:
    """The rules that Redis has, and the budget that `left` counts from, against the rows."""
    budgets, rules = campaign_state.read_books().budgets, campaign_state.read_rules()
    for campaign in campaigns:
        stored = (budgets.get(campaign.pk), rules.get(campaign.pk))
        fresh = Campaign.objects.select_related("advertiser").get(pk=campaign.pk)
        row = (fresh.budget_micros, campaign_state.build_rules(fresh))
        if stored == row:
            continue
        yield Finding(f"campaign {campaign.pk}", "rules", str(stored), str(row))
        if fix:
            # Redis may hold the revision of an edit whose commit failed: the row's must pass it.
            Campaign.objects.filter(pk=campaign.pk).update(revision=F("revision") + 2)
            changes.write_campaign(campaign.pk)


def _check_left(campaigns: Sequence[Campaign], fix: bool) -> Iterator[Finding]:
    """What is left against budget less charges; twice, because a charge may be on its way."""
    suspects = _find_wrong_left(campaigns)
    wrong = _find_wrong_left([campaign for campaign in campaigns if campaign.pk in suspects])
    for campaign_id, (budget, actual, expected) in wrong.items():
        if suspects[campaign_id][1] - suspects[campaign_id][2] != actual - expected:
            continue
        yield Finding(f"campaign {campaign_id}", "left", str(actual), str(expected))
        if fix:
            args: list[scripts.Arg] = [campaign_id, budget, expected - actual]
            CORRECT(client.get(), keys=[keys.LEFT(), keys.BUDGETS()], args=args)


def _find_wrong_left(campaigns: Sequence[Campaign]) -> dict[int, tuple[int, int, int]]:
    """(Budget, micros left, micros that must be left) by campaign, where the last two differ."""
    if not campaigns:
        return {}
    books = campaign_state.read_books()
    wrong = {}
    for campaign in campaigns:
        if campaign.pk in books.left and campaign.pk in books.budgets:
            budget, actual = books.budgets[campaign.pk], books.left[campaign.pk]
            expected = campaign_state.expected_left(books, campaign.pk, budget)
            if actual != expected:
                wrong[campaign.pk] = (budget, actual, expected)
    return wrong


def _check_spent(campaigns: Sequence[Campaign], fix: bool) -> Iterator[Finding]:
    """What each campaign spent today and yesterday against its charges; twice, as what is left."""
    campaign_ids = [campaign.pk for campaign in campaigns]
    suspects = {wrong.difference for wrong in campaign_state.find_wrong(campaign_ids)}
    for wrong in campaign_state.find_wrong(campaign_ids) if suspects else ():
        if wrong.difference not in suspects:
            continue
        aspect = f"spent on {wrong.day}"
        yield Finding(f"campaign {wrong.campaign_id}", aspect, str(wrong.actual), str(wrong.expected))
        if fix:
            campaign_state.correct(wrong)


def _check_counts(ads: Sequence[Ad], fix: bool) -> Iterator[Finding]:
    """Counts of ads that are saved: neither Redis nor SQL may have fewer."""
    totals = repricing.read_totals([ad.pk for ad in ads])
    unsaved = cast(set[str], client.get().sunion([keys.CHANGED(), keys.SAVING()]))
    for ad in ads:
        saved = {name: getattr(ad, name) for name in repricing.TOTALS}
        stored = {name: totals[ad.pk].get(name, 0) for name in repricing.TOTALS}
        is_lost = any(stored[name] < saved[name] for name in saved)
        if is_lost or (stored != saved and str(ad.pk) not in unsaved):
            yield Finding(f"ad {ad.pk}", "counts", _list_numbers(stored), _list_numbers(saved))
            if fix:
                loading.load_counts([ad.pk])
                repricing.save_counts_of([ad.pk])


def _list_numbers(numbers: dict[str, int]) -> str:
    return ", ".join(map(str, numbers.values()))


def _check_index(ads: Sequence[Ad], fix: bool) -> Iterator[Finding]:
    """Each ad's record and its ceiling in every place, against its row."""
    # Ads of finished campaigns leave their places within a minute; their rules keep them from pages at once.
    ads = [ad for ad in ads if ad.campaign.is_unfinished]
    if not ads:
        return
    texts = transport.execute(client.get(), ("HMGET", keys.ADS(), *(str(ad.pk) for ad in ads)))
    for ad, text in zip(ads, texts, strict=True):
        stored = prices.parse_record(text)
        actual, expected = _describe_held(ad, stored), _describe(index.expected_record(ad, stored, {}, {}))
        if actual != expected:
            yield Finding(f"ad {ad.pk}", "index", actual, expected)
            if fix:
                index.put(ad)


def _describe(record: prices.Record) -> str:
    facts = (record.revision, record.pricing, record.price, sorted(record.words), record.places)
    return " ".join(map(str, facts))


def _describe_held(ad: Ad, stored: prices.Record | None) -> str:
    """What Redis has; places where the ceiling is missing or wrong are left out."""
    if stored is None:
        return ""
    commands = [("ZSCORE", place, str(ad.pk)) for place in stored.place_keys]
    scores = transport.execute_many(client.get(), commands)
    right = [
        place
        for place, score in zip(stored.places, scores, strict=True)
        if score is not None and float(score) == stored.prices.ceiling
    ]
    facts = (stored.revision, stored.pricing, stored.price, sorted(stored.words), right)
    return " ".join(map(str, facts))


def find_unknown_ads() -> list[str]:
    """Ids in the hash of ads that are no row's."""
    stored_ids = cast(list[str], client.get().hkeys(keys.ADS()))
    unknown: list[str] = []
    for some in chunked(stored_ids, BATCH_SHOWN):
        numbers = [int(one) for one in some if one.isascii() and one.isdigit()]
        known = set(map(str, Ad.objects.filter(pk__in=numbers).values_list("pk", flat=True)))
        unknown += [one for one in some if one not in known]
    return unknown


def remove_ads(ad_ids: list[str]) -> None:
    """Take ads out of the hash; their places have strangers from then on."""
    if ad_ids:
        transport.execute(client.get(), ("HDEL", keys.ADS(), *ad_ids))


def find_misplaced() -> set[Shown]:
    """Ads in places that their records don't name."""
    texts = cast(dict[str, str], client.get().hgetall(keys.ADS()))
    wanted = {
        (ad_id, place)
        for ad_id, text in texts.items()
        for place in (prices.Record.parse(text).place_keys if text else ())
    }
    return {place for place in _iter_shown() if place not in wanted}


def remove_misplaced(places: set[Shown]) -> None:
    """Take ads out of the places."""
    transport.execute_many(client.get(), [("ZREM", place, ad_id) for ad_id, place in sorted(places)])


def _iter_shown() -> Iterator[Shown]:
    redis = client.get()
    for place in redis.scan_iter(match=keys.PLACE.scan_pattern, count=1_000):
        for ad_id, _ceiling in redis.zscan_iter(place):
            yield str(ad_id), str(place)
