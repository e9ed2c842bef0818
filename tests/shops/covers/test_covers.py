from xml.etree import ElementTree

import pytest

from apps.shops.covers import scene


@pytest.mark.parametrize("slug", [*scene.MOTIFS_BY_TYPE, "unheard-of"])
def test_every_type_draws_well_formed_small_pictures(slug: str) -> None:
    for seed in range(30):
        drawn = scene.draw(slug, seed)
        assert ElementTree.fromstring(drawn).get("viewBox") == "0 0 400 300"
        assert len(drawn) < 12_000
        assert "<text" not in drawn


def test_a_shop_keeps_its_picture_and_others_have_another() -> None:
    assert scene.draw("food", 7) == scene.draw("food", 7)
    assert len({scene.draw("food", seed) for seed in range(50)}) == 50
