"""Makes the demo's searches of this week, so that some words are trending."""

from apps.demo.social import roles
from apps.search.words import search_counts

#: Text -> the people who searched for it.
SEARCHES = {
    "hot pot": 14,
    "火锅": 12,
    "noodle": 11,
    "massage": 9,
    "面馆": 8,
    "西湖": 7,
    "karaoke": 6,
    "lakeside": 5,
}


def make() -> None:
    """Count the searches; who was counted this week already is not counted twice."""
    people = roles.Roles.load().everybody
    for text, number in SEARCHES.items():
        for user_id in people[:number]:
            search_counts.count_for(search_counts.name_person(user_id), text, hits=1)
