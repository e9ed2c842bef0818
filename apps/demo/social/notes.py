"""Makes the demo's notes about the first shops; a seed always gives the same notes, dated back from today."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from apps.blog import topics
from apps.blog.models import Note, Photo
from apps.blog.writing import photos, shop_scores
from apps.demo import photographs
from apps.demo.photographs import Photograph
from apps.demo.social import menus, note_texts, own_photos, reactions, reviews, roles
from apps.shops.models import Shop

#: Reports progress: (name of the kind of objects, number done, total).
ReportProgress = Callable[[str, int, int], object]
#: The first shops have several notes each; the shops up to the second number may have one.
BUSY_SHOPS, KNOWN_SHOPS = 60, 150
SPAN = timedelta(days=30)
#: How many photographs the notes of a theme have, in turn; where fewer fit, it is the next smaller number.
ALBUM_SIZES = (1, 3, 2, 9, 0, 5, 1, 2, 3, 1, 2)
#: How many notes later, from the newest, a photograph may stand first again.
REPEAT_AFTER = 40


@dataclass(frozen=True)
class NotePlan:
    """A note to create: its author, shop, age, texts, rating and pictures."""

    key: str
    shop: Shop
    title: str
    text: str
    rating: int
    age: timedelta
    dishes: tuple[str, ...] = ()
    scores: Mapping[str, int] = field(default_factory=dict)
    author_id: int = 0
    draft: bool = False
    photos: tuple[Photograph, ...] = ()


class NoteCounts(NamedTuple):
    """The numbers of new notes, likes and comments."""

    notes: int
    likes: int
    comments: int


def make(count: int, *, seed: int, progress: ReportProgress) -> NoteCounts:
    """Create notes, likes and comments for shops without notes, in one transaction; returns the counts."""
    told_of = set(Note.objects.values_list("shop", flat=True).distinct())
    plans = [plan for plan in plan_all(count, seed) if plan.shop.pk not in told_of]
    chosen = list(dict.fromkeys(photo for plan in plans for photo in plan.photos))
    photographs.prepare_all(chosen, lambda done: progress("Pictures", done, len(chosen)))
    own_photos.make(count, seed=seed)
    with transaction.atomic():
        now = timezone.now()
        short = reviews.make(count, told_of, seed=seed, now=now)
        published = [note for note in _write_notes(plans, now) if note.published_at]
        likes, comments = reactions.make(published, seed=seed)
        shop_ids = {note.shop_id for note in (*short, *published)}
        for done, shop_id in enumerate(shop_ids, start=1):
            shop_scores.recount(shop_id)
            progress("Scores", done, len(shop_ids))
    return NoteCounts(len(published) + len(short), likes, comments)


def plan_all(count: int, seed: int) -> list[NotePlan]:
    """All notes about the first `count` shops, the newest first, with photographs."""
    return _with_photos(sorted(_plan_texts(count, seed), key=lambda plan: plan.age))


def _plan_texts(count: int, seed: int) -> Iterator[NotePlan]:
    shops = Shop.objects.filter(pk__lte=min(count, KNOWN_SHOPS)).select_related("type").order_by("pk")
    turns: Counter[str] = Counter()
    authors = roles.Roles.load()
    for shop in shops:
        chance = Random(f"{seed}:notes:{shop.pk}")
        wanted = chance.choice((2, 3, 3, 4)) if shop.pk <= BUSY_SHOPS else chance.choice((0, 1, 1, 1))
        for number in range(wanted):
            theme = note_texts.theme_of_shop(shop)
            turns[theme] += 1
            mine = number == 0 and shop.pk in authors.customer_shops
            plan = _plan_note(shop, turns[theme], chance, key=f"{seed}:note:{shop.pk}:{number}")
            author_id = authors.customer_id
            if not mine:
                author_id = authors.author(chance, chinese=note_texts.is_chinese(turns[theme]))
            yield replace(plan, author_id=author_id, draft=mine and shop.pk == authors.customer_shops[-1])


def _plan_note(shop: Shop, turn: int, chance: Random, *, key: str) -> NotePlan:
    """The `turn`-th note of the shop's theme, without an author yet."""
    rating = chance.choice((5, 5, 5, 4, 4, 3))
    title, text = note_texts.write_text(shop, turn, rating, chance)
    dishes = menus.choose_dishes(note_texts.theme_of_shop(shop), chance)
    # The power makes recent notes more frequent, so that the hot list has some of today.
    age = timedelta(minutes=20) + SPAN * chance.random() ** 1.5
    return NotePlan(key, shop, title, text, rating, age, dishes, reviews.score(rating, chance))


class _Leads:
    """Which photographs stood first in a note: no list shows one twice on a screen."""

    def __init__(self) -> None:
        self.last, self.by_theme = dict[str, int](), set[tuple[str, str]]()
        self.at_home = own_photos.shown_at_home()

    def may_stand(self, photo: Photograph, shop: Shop, place: int) -> bool:
        """Whether it didn't in the theme or the REPEAT_AFTER notes before, nor does on the home page."""
        since = place - self.last.get(photo.name, -REPEAT_AFTER)
        is_new = (note_texts.theme_of_shop(shop), photo.name) not in self.by_theme
        return is_new and since >= REPEAT_AFTER and photo.name not in self.at_home[shop.city_en]

    def add(self, photo: Photograph, theme: str, place: int) -> None:
        self.last[photo.name] = place
        self.by_theme.add((theme, photo.name))


def _with_photos(plans: Sequence[NotePlan]) -> list[NotePlan]:
    """The plans with photographs that their shop doesn't show of itself, those of a named dish first.

    A note for which none is left that may stand first has no picture.
    """
    leads, uses, turns, found = _Leads(), Counter[str](), Counter[str](), list[NotePlan]()
    for place, plan in enumerate(plans):
        theme = note_texts.theme_of_shop(plan.shop)
        fitting = photographs.sort_by_need(own_photos.not_of_itself(plan.shop), uses, dishes=plan.dishes)
        first = next((one for one in fitting if leads.may_stand(one, plan.shop, place)), None)
        many = _album_size(turns[theme], len(fitting))
        turns[theme] += 1
        if first is None or not many:
            found.append(plan)
            continue
        leads.add(first, theme, place)
        # One front of a shop is enough: those of a theme look alike.
        front = next((one for one in (first, *fitting) if one.shows == "front"), None)
        rest = (one for one in fitting if one != first and (one.shows != "front" or one == front))
        photos = (first, *rest)[:many]
        uses.update(one.name for one in photos)
        found.append(replace(plan, photos=photos))
    return found


def _album_size(turn: int, available: int) -> int:
    wanted = min(available, ALBUM_SIZES[turn % len(ALBUM_SIZES)])
    return max(size for size in {0, *ALBUM_SIZES} if size <= wanted)


def _write_notes(plans: Sequence[NotePlan], now: datetime) -> list[Note]:
    # Oldest first: of notes published in the same second the one with the larger id is the newer.
    ordered = sorted(plans, key=lambda plan: plan.age, reverse=True)
    notes = Note.objects.bulk_create(_build_note(plan, now) for plan in ordered)
    topics.record_all(notes)
    pairs = list(zip(notes, ordered, strict=True))
    Photo.objects.bulk_create(photo for note, plan in pairs for photo in _build_photos(note, plan))
    reviews.name_dishes(notes, [plan.dishes for plan in ordered])
    return notes


def _build_note(plan: NotePlan, now: datetime) -> Note:
    status = Note.Status.DRAFT if plan.draft else Note.Status.PUBLISHED
    at = (now - plan.age).replace(microsecond=0)
    return Note(
        author_id=plan.author_id,
        shop=plan.shop,
        title=plan.title,
        text=plan.text,
        rating=plan.rating,
        status=status,
        published_at=None if plan.draft else at,
        **plan.scores,
    )


def _build_photos(note: Note, plan: NotePlan) -> Iterator[Photo]:
    for position, photo in enumerate(plan.photos):
        name = sha256(f"{plan.key}:{position}".encode()).hexdigest()[:32]
        drawn = photographs.prepare(photo)
        for path, content in ((name, drawn.large), (f"{name}-card", drawn.card)):
            photographs.store_file(photos.file_path(path), content)
        size = {"width": drawn.width, "height": drawn.height}
        yield Photo(name=name, owner_id=plan.author_id, note=note, position=position, **size)
