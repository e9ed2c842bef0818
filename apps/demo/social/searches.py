"""Makes the demo's searches of this week, so that some words are trending."""

from apps.demo import texts
from apps.demo.social import roles
from apps.search.words import search_counts
from apps.shops.geo import cities

#: City -> text -> the people who searched for it.
SEARCHES: dict[str, dict[str, int]] = texts.read("searches")


def make() -> None:
    """Count the searches; who was counted this week already is not counted twice."""
    people = roles.Roles.load().everybody
    for slug, searches in SEARCHES.items():
        city = cities.find(slug) or cities.first()
        for text, number in searches.items():
            for user_id in people[:number]:
                search_counts.count_for(search_counts.name_person(user_id), text, hits=1, city=city)
