"""Every pattern is a complete page in both languages; each naive way breaks, and each of ours holds."""

import html
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from apps.patterns import comparisons, page_content, pages, registry, views
from apps.patterns.pages import foundations
from apps.patterns.pattern import Pattern, Text
from apps.redis_kit import client as redis_client

PATTERNS = registry.all_patterns()
LANGUAGES = {"en": "The problem", "zh-hans": "问题"}
each_pattern = pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.slug)


def texts(pattern: Pattern) -> list[Text]:
    """Every text of a pattern."""
    own = [getattr(pattern, field.name) for field in fields(pattern)]
    keys_about = [live.about for live in pattern.keys]
    parts = [pattern.naive.text, pattern.ours.text, pattern.compared.about, *keys_about]
    return [text for text in [*own, *parts] if isinstance(text, Text)]


def test_a_page_is_complete_in_both_languages() -> None:
    wrong = [f"{pattern.slug}: {one}" for pattern in PATTERNS for one in find_lacks(pattern)]
    assert not wrong, "\n".join(wrong)


def find_lacks(pattern: Pattern) -> Iterator[str]:
    """What a pattern's page lacks."""
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", pattern.slug):
        yield "no slug"
    if not (pattern.keys and pattern.sources and page_content.for_pattern(pattern)):
        yield "no keys, no sources or no text of them"
    for text in texts(pattern):
        if re.search("[\u3400-\u9fff]", text.en) or not re.search("[\u3400-\u9fff]", text.zh):
            yield f"not in its language: {text}"
        if len(text.en) >= 500:
            yield f"a junior engineer reads this on a phone: {text.en}"


@each_pattern
def test_the_naive_way_breaks_and_ours_holds(pattern: Pattern) -> None:
    """The demonstrations of the page, on a real server."""
    naive, ours = views.run_way(pattern, "naive"), views.run_way(pattern, "ours")
    assert not naive.outcome.holds, naive.outcome.sentence.en
    assert ours.outcome.holds, ours.outcome.sentence.en
    for run in (naive, ours):
        assert run.log.trip_count >= 1
        assert run.log.trips[0].commands
        assert not re.search(r"{\w+}", run.outcome.sentence.en + run.outcome.sentence.zh)


@each_pattern
def test_a_demonstration_leaves_no_scratch_key(pattern: Pattern) -> None:
    for way in ("naive", "ours"):
        views.run_way(pattern, way)
    left = [str(name) for name in redis_client.get().scan_iter()]
    assert not [name for name in left if "scratch" in name]


@pytest.mark.one_server("trips to it are counted")
@each_pattern
def test_both_ways_of_a_comparison_do_their_round(pattern: Pattern) -> None:
    result = comparisons.compare(pattern, budget_seconds=0.001)
    assert result.naive.rounds == result.ours.rounds >= 1
    assert result.naive.trips >= 1
    assert result.ours.trips <= result.naive.trips + 1


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_renders(client: Client, language: str) -> None:
    for pattern in PATTERNS:
        address = reverse("patterns:page", args=[pattern.slug])
        page = client.get(address, headers={"accept-language": language}).content.decode()
        assert LANGUAGES[language] in page, address
        title = pattern.title.zh if language.startswith("zh") else pattern.title.en
        assert str(title) in html.unescape(page), address


def test_slugs_differ() -> None:
    assert len({pattern.slug for pattern in PATTERNS}) == len(PATTERNS)


@pytest.mark.django_db
def test_another_module_is_another_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A 26th pattern is one file: nothing else names it."""
    room = Path(str(pages.__path__[0])) / "foundations"
    text = (room / "ids.py").read_text().replace('slug="ids"', 'slug="one-more"')
    (tmp_path / "one_more.py").write_text(text)
    monkeypatch.setattr(foundations, "__path__", [*foundations.__path__, str(tmp_path)])
    try:
        registry.rooms.cache_clear()
        added = registry.find("one-more")
        assert added
        assert views.run_way(added, "ours").outcome.holds
        assert "/patterns/one-more/" in Client().get(reverse("patterns:index")).content.decode()
    finally:
        sys.modules.pop(f"{foundations.__name__}.one_more", None)
        registry.rooms.cache_clear()


def test_a_newcomer_reads_lessons_in_turn(client: Client) -> None:
    page = client.get(reverse("patterns:index")).content.decode()
    addresses = [reverse("patterns:page", args=[slug]) for slug in registry.LESSONS]
    order = page[page.index('<ol class="lessons">') : page.index("</ol>")]
    assert re.findall(r'href="([^"]+)"', order) == addresses
