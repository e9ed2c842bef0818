"""A person's city follows the reader's language, whichever they wrote it in."""

import pytest
from django.utils import translation

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
