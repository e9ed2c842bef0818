"""Answers for htmx: a part of a page, a toast beside it, and the status of a refusal."""

import json

import pytest
from django.test import RequestFactory
from django.utils.translation import gettext_lazy

from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID, parse_row_id


def test_a_request_of_htmx_names_itself(rf: RequestFactory) -> None:
    assert htmx.is_htmx(rf.get("/", headers={"HX-Request": "true"}))
    assert not htmx.is_htmx(rf.get("/"))


def test_a_toast_carries_its_text_and_level_beside_the_content() -> None:
    response = htmx.toast_response(gettext_lazy("Saved."), content="<p>", headers={"X-More": "1"})
    assert json.loads(response["HX-Trigger"]) == {"toast": {"text": "Saved.", "level": "success"}}
    assert (response.content, response["X-More"]) == (b"<p>", "1")


def test_a_toast_may_have_a_way_to_undo_and_a_link() -> None:
    response = htmx.toast_response("Removed.", undo="/undo/", more=("/lists/", gettext_lazy("Lists")))
    toast = json.loads(response["HX-Trigger"])["toast"]
    assert (toast["undo"], toast["more"]) == ("/undo/", {"url": "/lists/", "text": "Lists"})


def test_a_refusal_keeps_its_status_and_when_to_try_again() -> None:
    response = htmx.refusal_response(Problem(429, "too_many", "Wait a little.", retry_after=3), "<b>")
    assert (response.status_code, response["Retry-After"], response.content) == (429, "3", b"<b>")
    assert json.loads(response["HX-Trigger"])["toast"] == {"text": "Wait a little.", "level": "error"}


@pytest.mark.parametrize(
    ("text", "row_id"),
    [
        ("7", 7),
        ("007", 7),
        (str(MAX_ROW_ID), MAX_ROW_ID),
        (str(MAX_ROW_ID + 1), 0),
        ("9" * 5_000, 0),
        ("", 0),
        (None, 0),
        ("-1", 0),
        ("1_0", 0),
        ("１", 0),
        ("7\n", 0),
    ],
)
def test_a_row_id_is_written_in_plain_digits(text: str | None, row_id: int) -> None:
    assert parse_row_id(text) == row_id
