"""The people of shops out of a file: who owns a shop here, and who redeems its coupons."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from import_export.fields import Field

from apps.accounts import phones
from apps.accounts.models import User
from apps.imports.resource import BatchResource, Values
from apps.shops.importing.finding import NamedShops, read_cell
from apps.shops.members import membership
from apps.shops.models import Shop, ShopMember

#: What people write for a role.
ROLES = {
    "owner": ShopMember.Role.OWNER, "店主": ShopMember.Role.OWNER, "老板": ShopMember.Role.OWNER,
    "cashier": ShopMember.Role.CASHIER, "收银员": ShopMember.Role.CASHIER, "店员": ShopMember.Role.CASHIER,
}  # fmt: skip


class MemberResource(BatchResource):
    """A person a row, by the phone that they have logged in with; a role that changed is changed."""

    permissions = ("shops.add_shopmember", "shops.change_shopmember", "shops.see_all_shops")
    aliases: ClassVar[Mapping[str, str]] = {
        "店铺": "shop",
        "手机": "phone",
        "手机号": "phone",
        "角色": "role",
    }

    shop = Field(None, "shop")
    phone = Field(None, "phone")
    role = Field(None, "role")

    class Meta(BatchResource.Meta):
        model = ShopMember
        fields = ("shop", "phone", "role")
        name = gettext_lazy("People of shops")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._shops = NamedShops([])
        self._people: dict[str, User] = {}
        self._members: dict[tuple[int, int], ShopMember] = {}

    def written_columns(self) -> Sequence[str]:
        return ("role",)

    def row_key(self, values: Values) -> str:
        return f"{read_cell(values, 'shop')}\x1f{phones.canonical(read_cell(values, 'phone'))}"

    def load_batch(self, rows: Sequence[Values]) -> None:
        self._shops = NamedShops(read_cell(row, "shop") for row in rows)
        numbers = {phones.canonical(read_cell(row, "phone")) for row in rows}
        self._people = {user.phone: user for user in User.objects.filter(phone__in=numbers, is_active=True)}
        shops = {shop.pk for row in rows if (shop := self._find_shop(row))}
        known = ShopMember.objects.filter(shop__in=shops, user__in=self._people.values())
        self._members = {(member.shop_id, member.user_id): member for member in known}

    def find(self, values: Values) -> ShopMember | None:
        shop, user = self._find_shop(values), self._people.get(phones.canonical(read_cell(values, "phone")))
        return self._members.get((shop.pk, user.pk)) if shop and user else None

    def complete(self, instance: ShopMember, values: Values) -> None:
        instance.shop = self._shops.find(read_cell(values, "shop"))
        instance.user = self._find_person(read_cell(values, "phone"))
        if written := read_cell(values, "role").casefold():
            if written not in ROLES:
                sentence = _("“%(role).40s” is neither owner nor cashier.")
                raise ValidationError({"role": sentence % {"role": written}})
            instance.role = ROLES[written]

    def validate(self, instance: ShopMember) -> None:
        """Nothing more: `complete` has set every column."""

    def write_new(self, instances: list[ShopMember]) -> None:
        membership.save_many(instances)

    def write_changed(self, instances: list[ShopMember], columns: Collection[str]) -> None:
        membership.save_many(instances)

    def _find_shop(self, values: Values) -> Shop | None:
        try:
            return self._shops.find(read_cell(values, "shop"))
        except ValidationError:
            return None

    def _find_person(self, written: str) -> User:
        try:
            number = phones.parse(written)
        except phones.BadPhone as error:
            raise ValidationError({"user": str(error)}) from None
        if number not in self._people:
            sentence = _("Nobody has logged in with %(phone)s yet. Ask them to log in here once.")
            raise ValidationError({"user": sentence % {"phone": number}})
        return self._people[number]
