"""Cards of what people share in a chat: notes, shops, vouchers and flash sales as they are now."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypedDict

from apps.blog.models import Note
from apps.chat.models import Message
from apps.coupons.models import Voucher
from apps.shops import money
from apps.shops.models import Shop

MAX_TITLE_LENGTH = 80


class CardDict(TypedDict):
    """What a card shows; `picture` is a URL."""

    title: str
    line: str
    url: str
    picture: str


#: The kind of a card and its row's id.
CardKey = tuple[str, int]


def load_for(messages: Iterable[Message]) -> dict[CardKey, CardDict]:
    """The cards of messages, without those whose thing is gone; at most three queries a kind."""
    ids_by_kind: dict[str, set[int]] = defaultdict(set)
    for message in messages:
        if message.card_kind and message.card_id and not message.is_gone:
            ids_by_kind[message.card_kind].add(message.card_id)
    return {
        (kind, row_id): card
        for kind, ids in ids_by_kind.items()
        for row_id, card in _LOADERS[kind](ids).items()
    }


def load_one(kind: str, row_id: int) -> CardDict | None:
    """One card; None for an unknown kind, or when its thing is gone."""
    return _LOADERS[kind]([row_id]).get(row_id) if kind in _LOADERS else None


def _load_notes(ids: Collection[int]) -> dict[int, CardDict]:
    return {note.pk: _build_note(note) for note in Note.objects.published().with_cards().filter(pk__in=ids)}


def _load_shops(ids: Collection[int]) -> dict[int, CardDict]:
    return {shop.pk: _build_shop(shop) for shop in Shop.objects.open_to_public().filter(pk__in=ids)}


def _load_vouchers(ids: Collection[int]) -> dict[int, CardDict]:
    rows = Voucher.objects.offered().select_related("shop").filter(pk__in=ids)
    return {voucher.pk: _build_voucher(voucher) for voucher in rows}


def _build_note(note: Note) -> CardDict:
    photos = list(note.photos.all())
    return CardDict(
        title=(note.title or note.text)[:MAX_TITLE_LENGTH] or note.shop.name,
        line=f"{note.author.nickname} · {note.shop.name}",
        url=note.get_absolute_url(),
        picture=photos[0].card_url if photos else note.shop.cover_url,
    )


def _build_shop(shop: Shop) -> CardDict:
    return CardDict(title=shop.name, line=shop.place, url=shop.get_absolute_url(), picture=shop.cover_url)


def _build_voucher(voucher: Voucher) -> CardDict:
    price = money.format_amount(voucher.price, voucher.currency)
    return CardDict(
        title=voucher.title,
        line=f"{price} · {voucher.shop.name}",
        url=voucher.get_absolute_url(),
        picture=voucher.cover_url,
    )


_LOADERS: dict[str, Callable[[Collection[int]], Mapping[int, CardDict]]] = {
    Message.Card.NOTE: _load_notes,
    Message.Card.SHOP: _load_shops,
    Message.Card.SALE: _load_vouchers,
    Message.Card.VOUCHER: _load_vouchers,
}
