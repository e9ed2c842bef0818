"""Makes word lists and searches of many people."""

from django.http import HttpRequest
from django.test import RequestFactory

from apps.accounts.models import User
from apps.search.models import SynonymGroup
from apps.search.words import search_counts
from apps.shops.geo import cities
from apps.shops.models import City
from tests.factories import SynonymGroupFactory


def synonyms(words: str) -> SynonymGroup:
    group = SynonymGroupFactory.build(words=words)
    group.clean()
    group.save()
    return group


def request_of(number: int) -> HttpRequest:
    """A request of person `number`, who need not be a row."""
    request = RequestFactory().get("/search/")
    request.user = User(pk=number)
    return request


def searched(text: str, *, people: int, hits: int = 1, city: City | None = None) -> None:
    """Count a search for the text by each of so many people, in a city or else the first one."""
    for number in range(1, people + 1):
        search_counts.count(request_of(number), text, hits=hits, city=city or cities.first())
