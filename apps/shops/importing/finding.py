"""Which shop of the site a row of a file is about; a few queries for a whole batch."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _

from apps.imports.resource import Values
from apps.shops import areas
from apps.shops.importing.cells import TextWidget
from apps.shops.models import Shop
from apps.web.in_language import columns

#: Two shops of one name this near are one: entrances and sources differ by less.
SAME_PLACE_M = 100
NAME_COLUMNS = ("name", *columns("name"))
ADDRESS_COLUMNS = ("address", *columns("address"))


def has_reference(references: Collection[str]) -> Q:
    """The condition on shops that their number is among the given, read by the index on numbers.

    The index leaves out shops without a number: unless the condition does so too, SQL reads every shop.
    """
    return Q(reference__in=references) & ~Q(reference="")


def read_cell(values: Values, column: str) -> str:
    """A cell as the shop's row has it."""
    return TextWidget().clean(values.get(column, ""))


class KnownShops:
    """Shops that rows of a file of shops are about: by their number in it, or by name and place."""

    def __init__(self, rows: Sequence[Values]) -> None:
        references = {read_cell(row, "reference") for row in rows} - {""}
        self._by_reference = {shop.reference: shop for shop in Shop.objects.filter(has_reference(references))}
        unknown = [row for row in rows if read_cell(row, "reference") not in self._by_reference]
        names = {read_cell(row, column) for row in unknown for column in NAME_COLUMNS} - {""}
        self._by_name: dict[str, list[Shop]] = defaultdict(list)
        for shop in Shop.objects.filter(Q(name_en__in=names) | Q(name_zh__in=names)).order_by("pk"):
            for name in {shop.name_en, shop.name_zh} - {""}:
                self._by_name[name].append(shop)

    def find(self, row: Values, place: areas.Point | None) -> Shop | None:
        """The shop of a row, which says its place if it has one."""
        reference = read_cell(row, "reference")
        if reference in self._by_reference:
            return self._by_reference[reference]
        for name in (read_cell(row, column) for column in NAME_COLUMNS):
            for shop in self._by_name.get(name, ()):
                if not (reference and shop.reference) and _is_same_place(shop, row, place):
                    return shop
        return None


def _is_same_place(shop: Shop, row: Values, place: areas.Point | None) -> bool:
    addresses = {read_cell(row, column) for column in ADDRESS_COLUMNS} - {""}
    if addresses & {shop.address_en, shop.address_zh}:
        return True
    if place is None or shop.needs_place:
        return place is None and shop.needs_place and not addresses
    return areas.distance_metres(shop.lat, shop.lng, place.lat, place.lng) <= SAME_PLACE_M


class NamedShops:
    """Shops that a file names: by number in another source, by number on this site ("#12"), or by name."""

    def __init__(self, names: Iterable[str]) -> None:
        wanted = set(names) - {""}
        digits = {name.removeprefix("#") for name in wanted}
        numbers = {int(name) for name in digits if name.isascii() and name.isdigit() and len(name) < 19}
        self._found: dict[str, set[int]] = defaultdict(set)
        self._shops = {}
        rows = Shop.objects.filter(
            has_reference(wanted) | Q(pk__in=numbers) | Q(name_en__in=wanted) | Q(name_zh__in=wanted)
        )
        for shop in rows:
            self._shops[shop.pk] = shop
            for name in {shop.reference, str(shop.pk), f"#{shop.pk}", shop.name_en, shop.name_zh} & wanted:
                self._found[name].add(shop.pk)

    def find(self, written: str) -> Shop:
        """The one shop of a cell; ValidationError when there is none, or more than one."""
        if not written:
            raise ValidationError({"shop": _("Say which shop, by its number or name.")})
        found = self._found.get(written, set())
        if not found:
            raise ValidationError({"shop": _("There is no shop “%(name).40s”.") % {"name": written}})
        if len(found) > 1:
            sentence = _("%(count)d shops are called “%(name).40s”: write the number of one.")
            raise ValidationError({"shop": sentence % {"count": len(found), "name": written}})
        return self._shops[next(iter(found))]
