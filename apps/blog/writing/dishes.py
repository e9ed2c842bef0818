"""Dishes that notes recommend: a shop's known dishes, those a note names, and how many notes name each."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _

from apps.blog.models import MAX_DISHES, MAX_FOLDED_LENGTH, Dish, Note
from apps.redis_kit.findings import Finding
from apps.shops import ratings
from apps.shops.models import Shop
from apps.web import characters

#: Dishes that a shop's page shows, and known ones that the composer suggests.
MAX_SHOWN, MAX_SUGGESTED = 8, 12


def clean_names(names: Sequence[str], shop: Shop) -> list[str]:
    """The names as they are kept, each once.

    ValidationError for too many, for one that can't be shown, and for a shop whose type has no dishes.
    """
    first_spellings = dict[str, str]()
    for name in names:
        first_spellings.setdefault(fold(name), " ".join(name.split()))
    cleaned = [name for folded, name in first_spellings.items() if folded]
    if cleaned and not shop.type.has_dishes:
        raise ValidationError({"dishes": _("Notes about shops of this type name no dishes.")})
    if len(cleaned) > MAX_DISHES:
        raise ValidationError({"dishes": _("A note recommends at most %d dishes.") % MAX_DISHES})
    for name in cleaned:
        _validate_name(name)
    return cleaned


def attach(note: Note, names: Sequence[str]) -> None:
    """Let a note name these dishes (of clean_names) and no others; new ones are added to its shop."""
    rows = [Dish(shop_id=note.shop_id, name=name, folded=fold(name)) for name in names]
    Dish.objects.bulk_create(rows, ignore_conflicts=True)
    note.dishes.set(Dish.objects.filter(shop=note.shop_id, folded__in=[row.folded for row in rows]))


def recount(shop_id: int) -> None:
    """Recompute how many published notes name each dish of a shop, whose row the caller has locked."""
    for dish in _miscounted(Dish.objects.filter(shop=shop_id)):
        Dish.objects.filter(pk=dish.pk).update(recommended=dish.counted)


def most_recommended(shop_id: int, limit: int = MAX_SHOWN) -> list[Dish]:
    """The dishes of a shop that notes name, the most named first; one query."""
    rows = Dish.objects.filter(shop=shop_id, recommended__gt=0)
    return list(rows.order_by("-recommended", "pk")[:limit])


def check(fix: bool) -> Iterator[Finding]:
    """Yield dishes whose number differs from their notes, each checked twice; `fix` repairs them."""
    for shop_id in set(_miscounted(Dish.objects.all()).values_list("shop", flat=True)):
        with transaction.atomic():
            ratings.lock_shop(shop_id)
            wrong = list(_miscounted(Dish.objects.filter(shop=shop_id)))
            if fix:
                recount(shop_id)
        for dish in wrong:
            yield Finding(f"dish {dish.pk}", "recommended", str(dish.recommended), str(dish.counted))


def fold(name: str) -> str:
    """What the spellings of one dish have in common: width, case and spaces don't count."""
    return characters.fold(name)[:MAX_FOLDED_LENGTH]


def _miscounted(dishes: QuerySet[Dish]) -> "QuerySet[Any]":
    counted = Count("named_in", filter=Q(named_in__status=Note.Status.PUBLISHED))
    return dishes.annotate(counted=counted).exclude(counted=F("recommended"))


def _validate_name(name: str) -> None:
    try:
        Dish(name=name).clean_fields(exclude=("shop", "folded"))
    except ValidationError as wrong:
        sentences = [f"{name[:40]}: {sentence}" for sentence in wrong.messages]
        raise ValidationError({"dishes": sentences}) from None
