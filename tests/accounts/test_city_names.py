"""A person's city follows the reader's language, whichever they wrote it in."""

import pytest
from django.utils import translation

from apps.accounts import city_names
from apps.accounts.models import User


@pytest.mark.parametrize(
    ("written", "english", "chinese"),
    [
        ("Hangzhou", "Hangzhou", "杭州"),
        ("杭州", "Hangzhou", "杭州"),
        ("杭州市", "Hangzhou", "杭州"),
        ("hong kong ", "Hong Kong", "香港"),
        ("Lisbon", "Lisbon", "Lisbon"),
        ("", "", ""),
    ],
)
def test_a_known_city_has_a_name_in_each_language(written: str, english: str, chinese: str) -> None:
    person = User(city=written)
    with translation.override("en"):
        assert person.city_name == english
    with translation.override("zh-hans"):
        assert person.city_name == chinese


def test_a_form_offers_the_sites_cities_none_and_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(city_names, "_read_site_cities", lambda: [("Hangzhou", "杭州"), ("", "桐庐")])
    with translation.override("zh-hans"):
        offered = city_names.choices("杭州市")
        assert offered[1:] == [("杭州市", "杭州"), ("桐庐", "桐庐")]
        assert city_names.choices("Lisbon")[0] == ("Lisbon", "Lisbon")
        assert [value for value, _label in city_names.choices("")] == ["", "Hangzhou", "桐庐"]
    monkeypatch.setattr(city_names, "_read_site_cities", tuple)
    assert city_names.choices("Lisbon") == []
