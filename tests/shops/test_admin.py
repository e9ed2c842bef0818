"""The admin of shops: its pictures are drawn anew, and served by the site."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.shops.models import Shop
from tests.sample_pictures import make_picture
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_shop_s_picture_is_drawn_anew(boss: Client) -> None:
    shop = makers.shop()
    url = f"/admin/shops/shop/{shop.pk}/change/"
    form = boss.get(url).context["adminform"].form
    fields = {name: form[name].value() or "" for name in form.fields if name != "picture"}
    for inline in ("photos", "members"):
        fields |= {f"{inline}-TOTAL_FORMS": "0", f"{inline}-INITIAL_FORMS": "0"}
    refused = boss.post(url, fields | {"picture": SimpleUploadedFile("a.png", b"<svg>", "image/png")})
    assert "This is no picture we can read" in refused.content.decode()
    sent = SimpleUploadedFile("a.html", make_picture() + b"<script>", "text/html")
    assert boss.post(url, fields | {"picture": sent}).status_code == 302
    kept = Shop.objects.get(pk=shop.pk)
    assert re.fullmatch(r"shops/[0-9a-f]{32}\.webp", str(kept.picture))
    shown = Client().get(kept.cover_url)
    assert (shown.status_code, shown["Content-Type"]) == (200, "image/webp")
    assert b"script" not in b"".join(shown)
    shown.close()
