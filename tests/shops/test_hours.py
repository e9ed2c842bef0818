"""Hours as a value, against one that goes minute by minute; what pages, SQL, Redis and programs say."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from random import Random
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.apps import apps
from django.core.exceptions import ValidationError
from django.utils import translation

from apps.shops import areas, changes, hours, shop_hours
from apps.shops.filters import Filters
from apps.shops.hours import FOREVER, Calendar, Schedule, SpecialDays
from apps.shops.lists import nearby
from apps.shops.lists.query import Query
from apps.shops.models import Shop
from tests.factories import CityFactory, ShopFactory
from tests.shops import makers

SHANGHAI, NEW_YORK, BERLIN = map(ZoneInfo, ("Asia/Shanghai", "America/New_York", "Europe/Berlin"))
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
MINUTE = timedelta(minutes=1)


def random_spans(draw: Random) -> hours.Spans:
    """None to three spans, some past midnight, many at the edges of the day."""
    kind = draw.random()
    if kind < 0.2:
        return ()
    if kind < 0.3:
        return hours.ALL_DAY
    spans = []
    for _ in range(draw.randint(1, 3)):
        opens = draw.choice([0, 90, 120, 600, 1_080, 1_320, 1_439, draw.randrange(1_440)])
        spans.append((opens, opens + draw.choice([1, 60, 240, 600, 1_440, draw.randint(1, 1_440)])))
    return hours.normalize_spans(spans)


def random_schedule(draw: Random, around: date) -> Schedule:
    week = tuple(random_spans(draw) for _ in range(7))
    holidays = draw.choice([None, (), random_spans(draw)])
    exceptions = []
    for _ in range(draw.randint(0, 3)):
        first = around + timedelta(days=draw.randint(-5, 6))
        last = draw.choice([first, first + timedelta(days=draw.randint(0, 4)), FOREVER])
        exceptions.append(SpecialDays(first, last, random_spans(draw)))
    return Schedule(week, holidays).with_exceptions(exceptions)


def walk_minutes(zone: ZoneInfo, start: datetime, days: int) -> Iterator[datetime]:
    """Every minute of these days, by the true clock."""
    moment = start.astimezone(UTC)
    while moment < start + timedelta(days=days):
        yield moment
        moment += MINUTE


def open_instants(schedule: Schedule, calendar: Calendar, around: date) -> list[tuple[datetime, datetime]]:
    """The oracle: each span from the first moment that shows its begin to the first that shows its end.

    It knows no rule but the ones of the words: an exception, a holiday, or the weekday.
    """
    found = []
    for ahead in range(-12, 13):
        day = around + timedelta(days=ahead)
        spans = schedule.week[day.weekday()]
        if schedule.holidays is not None and day in calendar.holidays:
            spans = schedule.holidays
        for special in schedule.exceptions:
            if special.first <= day <= special.last:
                spans = special.spans
        midnight = datetime.combine(day, datetime.min.time())
        for opens, closes in spans:
            edges = [first_shown(midnight + minute * MINUTE, calendar.zone) for minute in (opens, closes)]
            found.append((edges[0], edges[1]))
    return found


def first_shown(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first minute whose wall clock is this or later, looked for by hours and then by minutes."""
    moment = wall.replace(tzinfo=UTC) - timedelta(hours=15)
    while moment.astimezone(zone).replace(tzinfo=None) < wall:
        step = 60 if (moment + timedelta(hours=3)).astimezone(zone).replace(tzinfo=None) < wall else 1
        moment += step * MINUTE
    return moment


@pytest.mark.parametrize(
    ("zone", "around"),
    [
        (SHANGHAI, date(2026, 12, 31)),
        (NEW_YORK, date(2026, 3, 8)), (NEW_YORK, date(2026, 11, 1)),
        (BERLIN, date(2027, 3, 28)), (BERLIN, date(2026, 10, 25)),
        # Half an hour is shown twice.
        (LORD_HOWE, date(2026, 4, 5)), (LORD_HOWE, date(2026, 10, 4)),
    ],
)  # fmt: skip
def test_every_minute_is_as_the_spans_say(zone: ZoneInfo, around: date) -> None:
    draw = Random(f"{zone}{around}")
    start = datetime.combine(around - timedelta(days=1), datetime.min.time(), zone)
    moments = [
        one for one in walk_minutes(zone, start, 3) if one.minute % 30 in (0, 29) or draw.random() < 0.03
    ]
    for _ in range(5):
        schedule = random_schedule(draw, around)
        calendar = Calendar(zone, frozenset(draw.sample([around, around + timedelta(days=1)], k=1)))
        spans = open_instants(schedule, calendar, around)
        for moment in moments:
            is_open = any(opens <= moment < closes for opens, closes in spans)
            day, minute = hours.find_wall_time(moment, zone)
            assert hours.is_open_at(schedule, calendar, day, minute) is is_open, (
                moment,
                hours.dump(schedule),
            )
        for moment in moments[:: len(moments) // 12]:
            check_next_change(schedule, calendar, spans, moment)


def check_next_change(
    schedule: Schedule, calendar: Calendar, spans: list[tuple[datetime, datetime]], moment: datetime
) -> None:
    """What a state says of the next change is where the spans of the oracle change."""
    state = hours.read_state(schedule, calendar, at=moment)
    is_open = any(opens <= moment < closes for opens, closes in spans)
    assert state.is_open is is_open
    change = moment + MINUTE
    limit = moment + timedelta(days=6)
    while change < limit and any(opens <= change < closes for opens, closes in spans) is is_open:
        # To the next edge of any span, as nothing changes between two.
        change = min((edge for pair in spans for edge in pair if edge > change), default=limit)
    wall = state.closes if is_open else state.opens
    if change >= limit:
        assert wall is None or hours.find_instant(wall, calendar.zone) >= limit
    else:
        assert wall is not None
        assert hours.find_instant(wall, calendar.zone) == change


def test_a_schedule_is_stored_and_read_back() -> None:
    draw = Random(7)
    for _ in range(300):
        schedule = random_schedule(draw, date(2026, 12, 30))
        assert hours.load(hours.dump(schedule)) == schedule
    for text in ("", "Mo 25:00-26:00", "Mo 10:00-09:00", "2026-02-30 off", "sometimes", "Mo off; ", "Xx off"):
        assert hours.load(text) is None


def test_of_two_exceptions_for_a_day_the_later_counts() -> None:
    first, last = date(2027, 2, 1), date(2027, 2, 28)
    schedule = Schedule().with_exceptions(
        [SpecialDays(first, last), SpecialDays(date(2027, 2, 14), date(2027, 2, 14), ((600, 900),))]
    )
    assert [one.first.day for one in schedule.exceptions] == [1, 14, 15]
    assert schedule.spans_on(date(2027, 2, 14), Calendar(SHANGHAI)) == ((600, 900),)


MONDAY = datetime(2026, 11, 30, 4, tzinfo=SHANGHAI)


@pytest.mark.parametrize(
    ("text", "at", "english", "chinese"),
    [
        ("Mo-Su 10:00-22:00", "12:00", "Open · closes 22:00", "营业中 · 22:00 打烊"),
        ("Mo-Su 10:00-22:00", "09:59", "Closed · opens 10:00", "休息中 · 10:00 开门"),
        ("Mo-Su 10:30-22:00", "22:00", "Closed · opens Tue 10:30", "休息中 · 周二 10:30 开门"),
        ("Mo-Su 18:00-26:00", "01:59", "Open · closes 02:00", "营业中 · 02:00 打烊"),
        ("Mo-Su 18:00-26:00", "23:00", "Open · closes 02:00", "营业中 · 02:00 打烊"),
        ("Mo-Su 10:00-24:00", "23:00", "Open · closes 24:00", "营业中 · 24:00 打烊"),
        ("Mo-Su 00:00-24:00", "03:00", "Open 24 hours", "24 小时营业"),
        ("Mo-Sa 00:00-24:00; Su off", "12:00", "Open · closes Sat 24:00", "营业中 · 周六 24:00 打烊"),
        ("Mo off; Tu 00:00-24:00", "03:00", "Closed · opens Tue 00:00", "休息中 · 周二 00:00 开门"),
        ("Su 10:00-12:00; 2026-12-06 off", "12:00",
         "Closed · opens 13 Dec 10:00", "休息中 · 12月13日 10:00 开门"),
        ("Mo-Su 10:00-22:00; 2026-11-30+ off", "12:00",
         "Closed until further notice", "暂停营业，恢复时间待定"),
        ("", "12:00", "Hours unknown", "营业时间未知"),
    ],
)  # fmt: skip
def test_what_people_read_of_now(text: str, at: str, english: str, chinese: str) -> None:
    moment = datetime.fromisoformat(f"2026-11-30T{at}").replace(tzinfo=SHANGHAI)
    state = hours.read_state(hours.load(text), Calendar(SHANGHAI), at=moment)
    with translation.override("en"):
        assert shop_hours.describe(state) == english
    with translation.override("zh-hans"):
        assert shop_hours.describe(state) == chinese


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("Mo-Su 11:00-14:00,17:00-21:30", "11:00–14:00, 17:00–21:30", "11:00–14:00、17:00–21:30"),
        ("Mo-Su 18:00-26:00", "18:00–02:00", "18:00–02:00"),
        ("Mo-Su 00:00-24:00", "24 hours", "24小时"),
        ("Mo-Sa 09:00-24:00; Su off", "Mon–Sat 09:00–24:00; Sun closed", "周一至周六 09:00–24:00；周日休息"),
        ("Mo off; Tu-Su 09:00-18:00; PH off", "Mon closed; Tue–Sun 09:00–18:00; public holidays closed",
         "周一休息；周二至周日 09:00–18:00；节假日休息"),
    ],
)  # fmt: skip
def test_a_week_is_a_line_as_the_language_writes_it(text: str, english: str, chinese: str) -> None:
    schedule = hours.load(text)
    assert schedule
    for language, line in (("en", english), ("zh-hans", chinese)):
        with translation.override(language):
            assert shop_hours.format_week(schedule) == line


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("store", ["redis", "sql"])
def test_lists_ask_what_pages_say(store: str) -> None:
    """Random weeks, holidays and exceptions in two cities, at random minutes: one answer everywhere."""
    draw, today = Random(11), date(2026, 12, 31)
    new_york = CityFactory.create(
        slug="ny",
        name_en="New York",
        lat=40.7,
        lng=-74.0,
        time_zone="America/New_York",
        holidays="2027-01-01 New Year",
    )
    CityFactory.create(holidays="2026-12-30 2026-12-31 Rest")
    changes.save_city(new_york)
    schedules = {f"Shop {number}": random_schedule(draw, today) for number in range(40)}
    made = makers.shops_of(
        {
            "name_en": name, "hours_en": "", "schedule": hours.dump(schedule),
            "lat": 40.7 if number % 2 else makers.LAT, "lng": -74.0 if number % 2 else makers.LNG,
        }
        for number, (name, schedule) in enumerate(schedules.items())
    )  # fmt: skip
    makers.shop("Nobody knows", hours_en="by appointment")
    assert {shop.nearest_city_id for shop in made} == {new_york.pk, made[0].nearest_city_id}
    if store == "redis":
        makers.commit_and_index()
    for _ in range(12):
        moment = datetime(2026, 12, 30, tzinfo=UTC) + draw.randrange(3 * 1_440) * MINUTE
        with time_machine.travel(moment, tick=False):
            expected = {shop.name for shop in Shop.objects.all() if shop_hours.read_state(shop).is_open}
            found = set[str]()
            for lat, lng in ((makers.LAT, makers.LNG), (40.7, -74.0)):
                at = areas.Point(lat, lng)
                page = nearby.load_page(Query(at=at, filters=Filters(open_now=True)), size=50)
                found |= {shop.name for shop in page.items}
            assert found == expected, moment


@pytest.mark.django_db
@pytest.mark.both_databases
def test_words_are_read_where_shops_are_written() -> None:
    known = makers.shop("Known", hours_en="Mo-Sa 00:00-24:00")
    assert known.schedule == "Mo-Sa 00:00-24:00; Su off"
    for words in ("by appointment", "10:00-22:00 周日看心情", "99:00-12:00", "周日休息"):
        shop = makers.shop(words, hours_en=words)
        assert (shop.schedule, shop.hours_en, shop_hours.read_state(shop).is_open) == ("", words, None)
    # Two languages that say different things say nothing.
    assert makers.shop("Two", hours_en="10:00-22:00", hours_zh="周日休息 10:00-22:00").schedule == ""
    changes.update(Shop.objects.filter(pk=known.pk), hours_en="06:30–10:00, 11:00–14:00")
    known.refresh_from_db()
    assert known.schedule == "Mo-Su 06:30-10:00,11:00-14:00"
    assert [(row.days, row.opens) for row in known.open_spans.order_by("opens")] == [(127, 390), (127, 660)]


@pytest.mark.django_db
def test_exceptions_stay_when_words_are_written_anew() -> None:
    shop = makers.shop(hours_en="", schedule="Mo-Su 10:00-20:00; 2027-01-01 12:00-16:00")
    shop.hours_en = "Mo-Fr 09:00-18:00"
    changes.save(shop, update_fields=["hours_en"])
    shop.refresh_from_db()
    assert shop.schedule == "Mo-Fr 09:00-18:00; Sa-Su off; 2027-01-01 12:00-16:00"


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_city_s_clock_and_holidays_are_those_of_its_shops() -> None:
    city = CityFactory.create()
    shop = makers.shop(hours_en="Mo-Su 09:00-18:00; PH off")
    noon = datetime(2026, 12, 1, 4, tzinfo=UTC)
    assert shop_hours.read_state(shop, at=noon).is_open is True
    city.holidays = "2026-12-01 Day of Tests"
    changes.save_city(city)
    assert shop_hours.read_state(shop, at=noon).is_open is False
    city.holidays, city.time_zone = "", "America/New_York"
    changes.save_city(city)
    assert shop_hours.read_state(shop, at=noon).is_open is False
    assert shop_hours.read_state(shop, at=noon + timedelta(hours=11)).is_open is True
    city_id = city.pk
    changes.delete_city(city)
    shop.refresh_from_db()
    assert shop.nearest_city_id != city_id


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-01", "2026-10-07 2026-10-01 Backwards", "2026-01-01 2026-12-31"]
)
def test_a_wrong_holiday_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ValidationError) as refused:
        hours.validate_holidays(f"2026-10-01 National Day\n{text}")
    assert text in str(refused.value.messages)
    with pytest.raises(ValidationError):
        hours.validate_zone("Asia/Hangzhou")


@pytest.mark.django_db
def test_search_engines_read_the_week_and_what_differs() -> None:
    shop = makers.shop(
        hours_en="", schedule="Mo-Fr 18:00-26:00; Sa-Su off; 2027-01-01 12:00-16:00; 2027-02-01+ off"
    )
    data = shop_hours.build_schema_org(shop, today=date(2026, 12, 30))
    (week,) = data["openingHoursSpecification"]
    assert (week["opens"], week["closes"], len(week["dayOfWeek"])) == ("18:00", "02:00", 5)
    special, closed = data["specialOpeningHoursSpecification"]
    assert (special["validFrom"], special["validThrough"], special["opens"]) == (
        "2027-01-01",
        "2027-01-01",
        "12:00",
    )
    assert (closed["opens"], closed["closes"], "validThrough" in closed) == ("00:00", "00:00", False)
    assert shop_hours.build_schema_org(makers.shop(hours_en="ask us")) == {}


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_migration_reads_the_words_of_every_shop_and_keeps_them() -> None:
    city = CityFactory.create()
    written = {
        "Every day": ("11:00–14:00, 17:00–21:30", "11:00–14:00、17:00–21:30"),
        "Not on Sundays": ("Mo-Sa 00:00-24:00", ""),
        "Nobody knows": ("by appointment", ""),
        "Silent": ("", ""),
    }
    for name, (english, chinese) in written.items():
        ShopFactory.create(name_en=name, hours_en=english, hours_zh=chinese, schedule="")
    migration = import_module("apps.shops.migrations.0013_read_hours")
    migration.read_hours(apps, None)
    shops = {shop.name_en: shop for shop in Shop.objects.all()}
    assert {name: shop.schedule for name, shop in shops.items()} == {
        "Every day": "Mo-Su 11:00-14:00,17:00-21:30",
        "Not on Sundays": "Mo-Sa 00:00-24:00; Su off",
        "Nobody knows": "",
        "Silent": "",
    }
    assert {name: (shop.hours_en, shop.hours_zh) for name, shop in shops.items()} == written
    assert {shop.nearest_city_id for shop in shops.values()} == {city.pk}
    assert {name: shop.open_spans.count() for name, shop in shops.items()} == {
        "Every day": 2,
        "Not on Sundays": 1,
        "Nobody knows": 0,
        "Silent": 0,
    }
