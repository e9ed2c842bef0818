"""Text that people write in boxes and lines: counted alike by page and API, and visible."""

import json

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.test import Client

from apps.accounts.models import User
from apps.accounts.profiles.editing import ProfileForm
from apps.accounts.text_fields import LineField, LinesField
from tests.coupons import buyers

UNSEEN = "\u3164\u200b"
#: 200 letters of which one is a line break, as a browser sends it.
AT_THE_LIMIT = "x" * 100 + "\r\n" + "y" * 99


def text_fields() -> list[models.Field[str, str]]:
    """Return every field of every model of the site that takes text of people."""
    fields = [field for model in apps.get_models() for field in model._meta.get_fields()]
    return [field for field in fields if isinstance(field, LineField | LinesField)]


def test_nothing_invisible_is_a_text_in_any_field() -> None:
    fields = text_fields()
    assert len(fields) > 10
    for field in fields:
        assert field.to_python(f" {UNSEEN} ") == "", field
        if not field.blank:
            with pytest.raises(ValidationError):
                field.clean(UNSEEN, None)


def test_every_box_counts_a_line_break_as_one_letter() -> None:
    boxes = [(field, field.max_length) for field in text_fields() if isinstance(field, LinesField)]
    assert len(boxes) > 6
    for field, most in boxes:
        text = "x" * ((most or 0) - 2) + "\r\ny"
        assert field.clean(text, None) == text.replace("\r\n", "\n"), field
        assert field.formfield().clean(text) == text.replace("\r\n", "\n"), field
        with pytest.raises(ValidationError):
            field.formfield().clean(text + "z")


@pytest.mark.django_db
def test_about_me_has_lines_and_counts_alike_by_page_and_api(alice: User) -> None:
    form = ProfileForm({"nickname": "Alice", "bio": AT_THE_LIMIT, "city": ""}, instance=alice)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["bio"] == AT_THE_LIMIT.replace("\r\n", "\n")
    changed = buyers.api_client(alice).patch(
        "/api/me", json.dumps({"bio": AT_THE_LIMIT}), content_type="application/json"
    )
    assert (changed.status_code, changed.json()["bio"]) == (200, AT_THE_LIMIT.replace("\r\n", "\n"))


@pytest.mark.django_db
def test_a_nickname_that_nobody_sees_is_refused(alice: User, client: Client) -> None:
    answer = buyers.api_client(alice).patch(
        "/api/me", json.dumps({"nickname": UNSEEN}), content_type="application/json"
    )
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "nickname")
