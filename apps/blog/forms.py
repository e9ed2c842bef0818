"""The form of the note editor; notes.create and notes.save validate its content, as they do for the API."""

import re
from http import HTTPStatus
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.blog.models import MAX_PHOTOS, Dish, Note, Photo
from apps.blog.writing import dishes, notes, photos
from apps.shops import ratings
from apps.shops.models import SCORES, ShopType
from apps.web.form_state import KeepsOthersChanges
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

STAR_CHOICES = [(stars, str(stars)) for stars in range(1, 6)]
#: What separates dishes where they are written in one line, in either language.
_DISH_SEPARATORS = re.compile("[,，、;；]")


def score_field() -> forms.TypedChoiceField:
    """A field for a score of 1 to 5 that may be left out or taken back."""
    choices = [("", _("No score")), *STAR_CHOICES]
    return forms.TypedChoiceField(
        choices=choices, coerce=int, empty_value=None, required=False, widget=forms.RadioSelect
    )


class NoteForm(KeepsOthersChanges, forms.Form):
    """A note's stars, scores, title, text and dishes, its photos' ids in order, and new photos as `files`."""

    #: HTTP status of the page that shows this form again with its errors.
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    retry_after: int | None = None
    photos = forms.Field(label=_("Photos"), required=False, widget=forms.MultipleHiddenInput())
    rating = forms.TypedChoiceField(
        label=_("Stars"),
        choices=STAR_CHOICES,
        coerce=int,
        empty_value=None,
        required=False,
        widget=forms.RadioSelect,
    )
    taste, room, service = score_field(), score_field(), score_field()
    dishes = forms.CharField(
        label=_("Recommended dishes"),
        required=False,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text=_("Up to five, with commas between them."),
    )
    title = forms.CharField(
        label=_("Title"), required=False, widget=forms.TextInput({"maxlength": 80, "autocomplete": "off"})
    )
    text = forms.CharField(
        label=_("Your note"),
        required=False,
        widget=forms.Textarea({"maxlength": 5000, "rows": 8, "data-mentions": ""}),
        help_text=_("A title or a few words are enough."),
    )

    def __init__(self, author: User, note: Note, request: HttpRequest | None = None) -> None:
        """`note` is a saved note, or a new one with its shop; `request` is the POST, if any."""
        self.author, self.note, self.request = author, note, request
        self.photo_ids = [photo.pk for photo in note.photos.all()] if note.pk else []
        initial_contents = {name: getattr(note, name) for name in notes.CONTENT_FIELDS}
        named = list(note.dishes.order_by("pk")) if note.pk else []
        initial_contents["photos"] = [str(photo_id) for photo_id in self.photo_ids]
        initial_contents["dishes"] = pgettext("between dishes", ", ").join(dish.name for dish in named)
        super().__init__(request.POST if request else None, initial=initial_contents)
        self._fit_to_type(note.shop.type)

    def _fit_to_type(self, kind: ShopType) -> None:
        """Name the scores as this type of shop wants it; only some types have dishes."""
        for name, label in ratings.score_labels(kind).items():
            self.fields[name].label = label
        if not kind.has_dishes:
            del self.fields["dishes"]

    @property
    def carries_state(self) -> bool:
        """Whether the note is saved, so that another tab or device may change it."""
        return self.note.pk is not None

    def describe_value(self, name: str, value: Any) -> str:
        """The text of a value for the choice; of photos, how many."""
        if name == "photos":
            return ngettext("%d photo", "%d photos", len(value)) % len(value)
        return super().describe_value(name, value)

    def score_fields(self) -> list[forms.BoundField]:
        """The fields of the scores, in order."""
        return [self[name] for name in SCORES]

    def has_scores(self) -> bool:
        """Whether a score is given, or was refused: otherwise the page has them folded away."""
        return any(field.value() or field.errors for field in self.score_fields())

    def suggest_dishes(self) -> list[Dish]:
        """The shop's dishes that people recommend most; none where there is no field for them."""
        if "dishes" not in self.fields:
            return []
        return dishes.most_recommended(self.note.shop_id, dishes.MAX_SUGGESTED)

    def written(self) -> Note | None:
        """Save and return the note, or return None: the form then has the errors and the uploaded photos."""
        if self.is_bound:
            is_changed = "photos" in self.changed_data
            self.photo_ids = _parse_ids(self["photos"].value() if is_changed else self.initial["photos"])
        self._upload_files()
        try:
            if self.is_valid():
                return self._save_note()
        except (ValidationError, Problem) as why:
            self._add_refusal(why)
        self._focus_first_error()
        return None

    def list_photos(self) -> list[Photo]:
        """Return the photos that the page shows, in order."""
        mine = Photo.objects.filter(Q(note=None) | Q(note=self.note.pk), owner=self.author)
        found = mine.in_bulk(self.photo_ids)
        return [found[photo_id] for photo_id in self.photo_ids if photo_id in found]

    def _save_note(self) -> Note:
        content: Any = {name: self.cleaned_data[name] for name in notes.CONTENT_FIELDS}
        if "dishes" in self.fields:
            content["dishes"] = _DISH_SEPARATORS.split(self.cleaned_data["dishes"])
        content |= {"photo_ids": self.photo_ids, "publish": "publish" in self.data}
        content["mention_ids"] = _parse_ids(self.request.POST.getlist("mention") if self.request else [])
        if self.note.pk:
            return notes.save(self.note, **content)
        return notes.create(self.author, self.note.shop, **content)

    def _upload_files(self) -> None:
        """Store the files that a browser without JavaScript sends; errors name each file that is refused."""
        sent: list[Any] = self.request.FILES.getlist("files") if self.request else []
        if len(self.photo_ids) + len(sent) > MAX_PHOTOS:
            self.add_error("photos", gettext("A note has at most %d photos.") % MAX_PHOTOS)
            return
        for file in sent:
            self._upload_file(file)

    def _upload_file(self, file: "UploadedFile[bytes]") -> None:
        try:
            self.photo_ids.append(photos.upload(self.author, file).pk)
        except Problem as why:
            if why.retry_after:
                self.status, self.retry_after = HTTPStatus(why.status), why.retry_after
            self.add_error("photos", f"{file.name}: {why.detail}")

    def _focus_first_error(self) -> None:
        """Give autofocus to the first field with an error, which may lie below the first screen."""
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong:
            self.fields[wrong].widget.attrs["autofocus"] = True

    def _add_refusal(self, why: ValidationError | Problem) -> None:
        if isinstance(why, Problem):
            self.status, self.retry_after = HTTPStatus(why.status), why.retry_after
            self.add_error(None, why.detail)
            return
        for name, sentences in why.message_dict.items():
            self.add_error("photos" if name == "photo_ids" else name, sentences)


def _parse_ids(sent: list[str]) -> list[int]:
    """Return the valid ids, each once; other values, which the site's own pages never send, are ignored."""
    return [photo_id for photo_id in dict.fromkeys(map(parse_row_id, sent)) if photo_id]
