"""Shops out of files: what a row means, what is refused in words, and that nothing happens twice."""

import re
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, OperationalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.imports import running
from apps.imports.models import FilePiece, Import
from apps.imports.resource import BatchResource
from apps.redis_kit import client
from apps.shops import changes, importing, keys
from apps.shops.importing import finding
from apps.shops.importing.shops import ShopResource
from apps.shops.models import Shop
from config.settings import BASE_DIR
from tests.factories import ShopFactory, ShopTypeFactory
from tests.shops import makers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

HEADINGS = "reference,type,name,city,address,hours,lat,lng,price\n"
GOOD = 'a1,food,湖边面馆,杭州,南山路8号,"11:00-14:00, 17:00-22:00",30.259,120.148,¥68.50\n'


@pytest.fixture(autouse=True)
def food(db: None) -> None:
    ShopTypeFactory.create(slug="food", name_en="Food")
    ShopTypeFactory.create(slug="bar", name_en="Bar", name_zh="酒吧")


def check(text: str | bytes, **options: Any) -> Import:
    data = text.encode() if isinstance(text, str) else text
    run = running.start(importing.SHOPS, BytesIO(data), name="shops.csv", by=None, by_worker=False, **options)
    return running.go_on(run.pk)


def write(text: str | bytes) -> Import:
    run = check(text)
    return running.go_on(running.confirm(run.pk, by_worker=False).pk)


def counts(run: Import) -> tuple[int, int, int, int]:
    return run.created, run.changed, run.unchanged, run.refused


def reasons(run: Import) -> list[str]:
    return list(run.refusals.order_by("line", "pk").values_list("reason", flat=True))


def test_a_checked_file_has_written_nothing() -> None:
    run = check(HEADINGS + GOOD)
    assert (run.state, counts(run)) == (Import.State.CHECKED, (1, 0, 0, 0))
    assert run.samples == [[2, "湖边面馆", []]]
    assert not Shop.objects.exists()


def test_a_shop_is_written_and_found_on_the_map() -> None:
    run = write(HEADINGS + GOOD)
    shop = Shop.objects.get()
    assert (run.state, counts(run)) == (Import.State.DONE, (1, 0, 0, 0))
    assert (shop.name_zh, shop.name_en, shop.city_zh, shop.price) == ("湖边面馆", "", "杭州", 6850)
    assert (shop.schedule, shop.is_listed) == ("Mo-Su 11:00-14:00,17:00-22:00", True)
    assert client.get().zscore(keys.GEO(type=keys.ALL_TYPES), str(shop.pk))
    assert not FilePiece.objects.exists()


def test_the_same_file_twice_changes_nothing() -> None:
    write(HEADINGS + GOOD)
    before = Shop.objects.values().get()
    assert counts(write(HEADINGS + GOOD)) == (0, 0, 1, 0)
    assert Shop.objects.values().get() == before


def test_a_changed_cell_changes_that_alone_and_an_empty_one_nothing() -> None:
    write(HEADINGS + GOOD)
    run = write("reference,name,city,hours\na1,湖边大面馆,,\n")
    shop = Shop.objects.get()
    assert counts(run) == (0, 1, 0, 0)
    assert run.samples[0][2] == ["name_zh"]
    assert (shop.name_zh, shop.city_zh, shop.hours_en) == ("湖边大面馆", "杭州", "11:00-14:00, 17:00-22:00")


def test_a_shop_without_a_reference_is_found_by_name_and_place() -> None:
    known = makers.shop("Third Bridge", lat=30.2, lng=120.2, price=0, address_en="")
    run = write("type,name,city,lat,lng,price\nfood,Third Bridge,Hangzhou,30.2001,120.2001,9\n")
    assert (counts(run), Shop.objects.get().pk) == ((0, 1, 0, 0), known.pk)
    run = write("type,name,city,lat,lng\nfood,Third Bridge,Hangzhou,30.21,120.21\n")
    assert (counts(run), Shop.objects.count()) == ((1, 0, 0, 0), 2)


def test_a_shop_without_coordinates_waits_off_the_site_until_it_has_a_place() -> None:
    write("reference,type,name,city,listed\nb1,bar,Canal,Hangzhou,yes\n")
    shop = Shop.objects.get()
    assert (shop.needs_place, shop.is_listed) == (True, False)
    assert changes.list_publicly(Shop.objects.all()) == 0
    with pytest.raises(IntegrityError):
        Shop.objects.update(is_listed=True)
    write("reference,lat,lng\nb1,30.31,120.13\n")
    shop.refresh_from_db()
    assert (shop.needs_place, shop.is_listed) == (False, True)


@pytest.mark.parametrize(("lat", "lng"), [("0", "0"), ("0.0", "0.000"), ("-0", "+0.0"), ("0°", " 0 ")])
def test_zero_zero_is_no_place(lat: str, lng: str) -> None:
    write(f"reference,type,name,city,lat,lng\nb1,bar,Canal,Hangzhou,{lat},{lng}\n")
    assert Shop.objects.get().needs_place
    write("reference,lat,lng\nb1,30.31,120.13\n")
    write(f"reference,lat,lng\nb1,{lat},{lng}\n")
    shop = Shop.objects.get()
    assert (shop.needs_place, shop.lat, shop.lng) == (False, 30.31, 120.13), (
        "an empty cell leaves what is there"
    )


def test_the_equator_is_a_place() -> None:
    write("reference,type,name,city,lat,lng\nb1,bar,Canal,Quito,0,-78.45\n")
    assert not Shop.objects.get().needs_place


def test_a_file_of_more_rows_asks_sql_no_more_often() -> None:
    queries = []
    for count in (10, 20):
        rows = "".join(GOOD.replace("a1", f"{count}-{number}") for number in range(count))
        with CaptureQueriesContext(connection) as captured:
            assert check(HEADINGS + rows).created == count
        queries.append(len(captured))
    assert queries[0] == queries[1]


def test_a_shop_s_number_is_looked_up_in_its_index() -> None:
    """A batch of a large site reads no shop but its own."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        plan = Shop.objects.filter(finding.has_reference(["a1", "a2"])).explain()
    assert "shops_one_reference" in plan


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("x,castle,A,B,C,,30,120,1", "There is no type “castle”"),
        ("x,,A,B,C,,30,120,1", "Say its type: "),
        ("x,food,,B,C,,30,120,1", "Write this in one language at least"),
        ("x,food,A,B,C,,95,120,1", "less than or equal to 85.05"),
        ("x,food,A,B,C,,nan,120,1", "“nan” is no number of degrees"),
        ("x,food,A,B,C,,1e400,120,1", "no number of degrees"),
        ("x,food,A,B,C,,30,,1", "Latitude and longitude go together"),
        ("x,food,A,B,C,,30,120,many", "“many” is no amount"),
        ("x,food,A,B,C,,30,120,9223372036854775808", "is no amount"),
        ("x,food,A,B,C,,30,120,1.005", "parts of the smallest coin"),
        ("x,food,A,B,C,,30,120,-3", "is no amount"),
        ("x,food," + "A" * 81 + ",B,C,,30,120,1", "at most 80 characters"),
        ("x,food,A,B\x00,C,,30,120,1", "NUL"),
        ("x,food,=HYPERLINK(1),B,C,,30,120,1", "is a formula"),
        ("x,food,A,B", "It has 4 cells"),
        (GOOD.strip(), "It is about the same thing as row 2"),
    ],
)
def test_a_bad_row_is_refused_in_words_and_stops_no_other(row: str, why: str) -> None:
    run = write(HEADINGS + GOOD + row + "\ny,bar,Other,Hangzhou,,,30.1,120.1,\n")
    assert counts(run) == (2, 0, 0, 1)
    assert why in reasons(run)[0]
    assert Shop.objects.count() == 2


def test_one_bad_row_stops_all_when_that_is_wanted() -> None:
    run = check(HEADINGS + GOOD + "x,castle,A,B,C,,30,120,1\n", stops_at_errors=True)
    assert (run.state, run.refused) == (Import.State.FAILED, 1)
    assert "Nothing is imported" in run.error


def test_openstreetmap_s_names_of_types_and_hours_are_understood() -> None:
    data = (BASE_DIR / "static" / "examples" / "openstreetmap.csv").read_bytes()
    assert counts(write(data)) == (3, 0, 0, 0)
    shop = Shop.objects.select_related("type").get(reference="node/2380000001")
    assert (shop.type.slug, shop.name_en, shop.name_zh) == ("food", "Louwailou", "楼外楼")
    assert (shop.hours_en, shop.city_en) == ("Mo-Su 10:30-20:00", "Hangzhou")
    assert Shop.objects.get(reference="node/2380000003").type.slug == "bar"
    page = Client().get(shop.get_absolute_url())
    assert page.status_code == 200
    assert "¥0" not in page.content.decode()


def test_a_file_whose_columns_mean_nothing_is_refused() -> None:
    run = check("a,b\n1,2\n")
    assert "None of its columns is known" in run.error


def test_an_import_goes_on_where_a_worker_died(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BATCH_ROWS", 2)
    lines = [f"r{number},food,Shop {number},Hangzhou,,,30.{number},120,1\n" for number in range(10, 17)]
    run = check(HEADINGS + "".join(lines))
    running.confirm(run.pk, by_worker=False)
    assert running.go_on(run.pk, seconds=0).done == 2
    with monkeypatch.context() as broken:
        broken.setattr(ShopResource, "write_new", _fail_after_writing)
        with pytest.raises(OperationalError):
            running.go_on(run.pk)
    assert Shop.objects.count() == 2
    assert counts(running.go_on(run.pk)) == (7, 0, 0, 0)
    assert Shop.objects.count() == 7


def _fail_after_writing(self: BatchResource, instances: list[Shop]) -> None:
    changes.create_many(instances)
    raise OperationalError("the database is gone")


def test_two_workers_at_one_import_write_each_row_once(race: Any) -> None:
    run = check(HEADINGS + GOOD)
    running.confirm(run.pk, by_worker=False)
    race(2, lambda _number: running.go_on(run.pk))
    assert Shop.objects.count() == 1
    assert Import.objects.get().created == 1


def test_a_row_that_the_database_refuses_leaves_the_rest_of_its_batch() -> None:
    run = check(HEADINGS + GOOD + "x,food,B,Hangzhou,,,30,120,1\n")
    running.confirm(run.pk, by_worker=False)
    real = ShopResource.find
    try:
        ShopResource.find = lambda self, values: None  # type: ignore[method-assign]
        ShopFactory.create(reference="a1")
        done = running.go_on(run.pk)
    finally:
        ShopResource.find = real  # type: ignore[method-assign]
    assert counts(done) == (1, 0, 0, 1)
    assert "Somebody else has written the same thing" in reasons(done)[0]


def test_the_command_does_the_same(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "shops.csv"
    file.write_text(HEADINGS + GOOD + "x,castle,A,B,C,,30,120,1\n", encoding="gb18030")
    call_command("import_shops", str(file), "--dry-run")
    assert not Shop.objects.exists()
    call_command("import_shops", str(file))
    said = capsys.readouterr()
    assert "1 new, 0 changed, 0 unchanged, 1 refused" in said.out
    assert "row 3: Type: There is no type “castle”" in said.err
    with pytest.raises(CommandError, match="Nothing is imported"):
        call_command("import_shops", str(file), "--stop-at-errors")
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_shops", str(tmp_path / "none.csv"))


def test_a_manager_sends_a_file_sees_what_would_happen_and_says_yes(boss: Client) -> None:
    sent = SimpleUploadedFile("shops.csv", (HEADINGS + GOOD + "x,castle,A,B,C,,30,120,1\n").encode())
    assert "openstreetmap" in boss.get("/admin/shops/shop/import/").content.decode()
    answer = boss.post(
        "/admin/shops/shop/import/", {"resource": "0", "format": "0", "import_file": sent}, follow=True
    )
    page = answer.redirect_chain[-1][0]
    assert "Waiting for a worker" in answer.content.decode()
    run = running.go_on(Import.objects.get().pk)
    checked = boss.get(page).content.decode()
    assert "There is no type “castle”" in checked
    refused = b"".join(boss.get(f"/admin/imports/import/{run.pk}/refused/")).decode()
    assert '3,"Type: There is no type “castle”' in refused
    boss.post(page, {"answer": "import"})
    running.go_on(run.pk)
    done = boss.get(f"/admin/imports/import/{run.pk}/progress/").content.decode()
    assert "The file is imported" in done
    assert 'href="/admin/shops/shop/"' in done
    assert done.count("Row 2") == 1
    assert Shop.objects.get().name_zh == "湖边面馆"
    assert "no longer waiting" in boss.post(page, {"answer": "cancel"}, follow=True).content.decode()


def test_the_list_of_imports_leads_to_each_kind_of_file(boss: Client) -> None:
    page = boss.get("/admin/imports/import/").content.decode()
    links = re.findall(r'href="(/admin/[^"]+/import/\?resource=\d)"', page)
    assert [link.split("/")[3] for link in links] == ["shop", "shop", "voucher"]
    form = boss.get(links[1]).content.decode()
    assert '<option value="1" selected' in form
    assert "Check the file" in form
    assert "Submit" not in form


def test_who_may_not_write_shops_imports_none(client: Client, alice: User) -> None:
    run = check(HEADINGS + GOOD)
    client.force_login(alice)
    for url in ("/admin/shops/shop/import/", f"/admin/imports/import/{run.pk}/change/"):
        assert client.get(url).status_code in {302, 403, 404}
