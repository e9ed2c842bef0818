"""Every field of the admin's own forms has the box that Unfold draws around it."""

from datetime import UTC, datetime

import pytest
from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteMixin
from django.test import RequestFactory

from apps.adminkit.last_moment import LastMomentField, LastMomentWidget
from tests.factories import UserFactory

#: Drawn by the browser alone, they have neither a border nor a colour in the admin.
BARE = (forms.TextInput, forms.NumberInput, forms.Textarea, forms.Select)

END = datetime(2027, 12, 31, 16, tzinfo=UTC)


@pytest.mark.django_db
def test_no_field_of_a_form_is_without_a_box(rf: RequestFactory) -> None:
    request = rf.get("/admin/")
    request.user = UserFactory.create(is_staff=True, is_superuser=True)
    fields = [
        (model._meta.label, name, field.widget)
        for model, site_admin in admin.site._registry.items()
        if site_admin.has_change_permission(request)
        for name, field in site_admin.get_form(request).base_fields.items()
    ]
    assert len(fields) > 50
    assert not [
        f"{label}.{name}"
        for label, name, widget in fields
        if isinstance(widget, BARE)
        and not (widget.attrs.get("class") or isinstance(widget, AutocompleteMixin))
    ]


class Form(forms.Form):
    until = LastMomentField(required=False)


@pytest.mark.parametrize("time", ["", "23:59", "23:59:59"])
def test_a_day_counts_to_its_end(time: str) -> None:
    form = Form({"until_0": "2027-12-31", "until_1": time})
    assert form.is_valid()
    assert form.cleaned_data["until"] == END


def test_a_time_is_that_moment_and_nothing_is_none() -> None:
    form = Form({"until_0": "2027-12-31", "until_1": "18:30"})
    assert form.is_valid()
    assert form.cleaned_data["until"] == datetime(2027, 12, 31, 10, 30, tzinfo=UTC)
    form = Form({"until_0": "", "until_1": ""})
    assert (form.is_valid(), form.cleaned_data["until"]) == (True, None)


@pytest.mark.parametrize(("day", "time"), [("soon", ""), ("", "18:30"), ("9999-12-31", "")])
def test_what_is_no_day_is_an_error(day: str, time: str) -> None:
    assert "until" in Form({"until_0": day, "until_1": time}).errors


@pytest.mark.parametrize("at", [END, datetime(2027, 12, 31, 10, 30, tzinfo=UTC)])
def test_a_form_that_comes_back_as_it_was_shown_has_not_changed(at: datetime) -> None:
    day, time = LastMomentWidget().decompress(at)
    assert str(day) == "2027-12-31"
    form = Form({"until_0": str(day), "until_1": str(time or "")}, initial={"until": at})
    assert (form.is_valid(), form.changed_data, form.cleaned_data["until"]) == (True, [], at)
