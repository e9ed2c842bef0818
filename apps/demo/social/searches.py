"""Makes the demo's searches of this week, so that some words are trending."""

from apps.demo.social import roles
from apps.search.words import search_counts
from apps.shops.geo import cities

#: City -> text -> the people who searched for it.
SEARCHES = {
    "hangzhou": {
        "hot pot": 14,
        "火锅": 14,
        "noodle": 11,
        "面馆": 11,
        "massage": 9,
        "西湖": 9,
        "按摩": 8,
        "karaoke": 7,
        "咖啡": 7,
        "bakery": 6,
        "亲子": 6,
        "lakeside": 5,
        "烤鸭": 5,
    },
    "shanghai": {
        "massage": 12,
        "静安": 12,
        "火锅": 10,
        "hot pot": 9,
        "外滩": 8,
        "coffee": 7,
        "美甲": 7,
        "bakery": 6,
        "饺子": 6,
        "karaoke": 5,
        "按摩": 5,
    },
}


def make() -> None:
    """Count the searches; who was counted this week already is not counted twice."""
    people = roles.Roles.load().everybody
    for slug, texts in SEARCHES.items():
        city = cities.find(slug) or cities.first()
        for text, number in texts.items():
            for user_id in people[:number]:
                search_counts.count_for(search_counts.name_person(user_id), text, hits=1, city=city)
