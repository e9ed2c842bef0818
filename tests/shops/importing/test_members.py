"""The people of shops out of files."""

from io import BytesIO

import pytest

from apps.accounts.models import User
from apps.adminkit.roles import Role
from apps.imports import running
from apps.imports.models import Import
from apps.shops import importing
from apps.shops.models import ShopMember
from tests.factories import ShopFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
HEADINGS = "shop,phone,role\n"


def write(text: str) -> Import:
    run = running.start(importing.MEMBERS, BytesIO(text.encode()), name="p.csv", by=None, by_worker=False)
    running.go_on(run.pk)
    return running.go_on(running.confirm(run.pk, by_worker=False).pk)


def test_people_get_their_shop_and_the_roles_that_follow(alice: User, bob: User) -> None:
    shop = ShopFactory.create(reference="lake-1")
    rows = f"lake-1,{alice.phone},owner\nlake-1,{bob.phone.removeprefix('+86')},收银员\n"
    assert write(HEADINGS + rows).created == 2
    assert {(one.user, one.role) for one in shop.members.all()} == {(alice, "owner"), (bob, "cashier")}
    assert alice.groups.filter(name=Role.SHOP_OWNER).exists()
    assert write(HEADINGS + rows).unchanged == 2
    assert write(HEADINGS + f"lake-1,{alice.phone},cashier\n").changed == 1
    assert not alice.groups.filter(name=Role.SHOP_OWNER).exists()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("nowhere,13800138000,owner", "There is no shop"),
        ("lake-1,13800138000,owner", "Nobody has logged in with +8613800138000"),
        ("lake-1,hello,owner", "This is not a phone number"),
        ("lake-1,{phone},cook", "“cook” is neither owner nor cashier"),
    ],
)
def test_a_bad_row_is_refused_in_words(row: str, why: str, alice: User) -> None:
    ShopFactory.create(reference="lake-1")
    run = write(HEADINGS + row.format(phone=alice.phone) + "\n")
    assert why in run.refusals.get().reason
    assert not ShopMember.objects.exists()
