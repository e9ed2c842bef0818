"""Every field of the admin's own forms has the box that Unfold draws around it."""

import pytest
from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteMixin
from django.test import RequestFactory

from tests.factories import UserFactory

#: Drawn by the browser alone, they have neither a border nor a colour in the admin.
BARE = (forms.TextInput, forms.NumberInput, forms.Textarea, forms.Select)


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
