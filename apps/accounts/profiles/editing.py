"""Changing a profile, for the page with its form, the API and staff."""

from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts import city_names
from apps.accounts.forms import ShowsRefusals
from apps.accounts.models import User
from apps.accounts.personal import person_cards
from apps.accounts.profiles import avatars, findable_people, suspensions
from apps.mailbox import copies
from apps.queues import owed
from apps.web import findable
from apps.web.form_state import KeepsOthersChanges
from apps.web.problems import Problem

EDITABLE_FIELDS = ("nickname", "bio", "city", "shows_all_cities")


def update_profile(user: User, **fields: Any) -> User:
    """Set the EDITABLE fields of a user; ValidationError names the wrong ones, other names are ignored.

    Problem 403 suspended.

    `picture` is one that avatars.redraw returned; `without_picture` is ignored when a picture is given.
    """
    suspensions.require_may_write(user)
    changed = [name for name in EDITABLE_FIELDS if name in fields]
    for name in changed:
        setattr(user, name, fields[name])
    user.clean_fields(exclude={field.name for field in User._meta.fields}.difference(changed))
    with transaction.atomic():
        user.save(update_fields=changed)
        findable.changed(findable_people.NAME, user.pk)
        if fields.get("picture"):
            avatars.store(user, fields["picture"])
        elif fields.get("without_picture"):
            avatars.remove(user)
        owed.run_after_commit(person_cards.forget, user.pk)
        # The city decides which broadcasts are theirs.
        owed.run_after_commit(copies.publish, [user.pk])
    return user


def reset_profile(user: User, **texts: str) -> None:
    """Set a nickname or bio as staff, in the caller's transaction; also shows an avatar that changed."""
    for name, text in texts.items():
        setattr(user, name, text)
    user.save(update_fields=list(texts))
    findable.changed(findable_people.NAME, user.pk)
    owed.run_after_commit(person_cards.forget, user.pk)


class CityField(forms.CharField):
    """A city; the other language's name of a known one is no change."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return city_names.key(initial or "") != city_names.key(data or "")


class PictureInput(forms.FileInput):
    """A file, or the name of a drawn face in FACE_FIELD, which comes as the file that was drawn of it."""

    FACE_FIELD = "face"

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        sent, face = super().value_from_datadict(data, files, name), data.get(self.FACE_FIELD)
        if sent or not face:
            return sent
        # A name that no face has is refused as every file is that is no picture.
        drawn = avatars.draw_face(face) if face in avatars.FACES else face.encode()
        return SimpleUploadedFile("face.png", drawn, "image/png")

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return super().value_omitted_from_data(data, files, name) and not data.get(self.FACE_FIELD)


class ProfileForm(KeepsOthersChanges, ShowsRefusals, forms.ModelForm[User]):
    """Nickname, bio, city and picture of a user; the picture is re-encoded while it is checked."""

    picture = forms.FileField(
        label=_("New picture"),
        required=False,
        widget=PictureInput({"accept": "image/jpeg,image/png,image/webp,image/gif"}),
        help_text=_("Of a moving picture the first frame is shown."),
    )
    without_picture = forms.BooleanField(label=_("Remove my picture"), required=False)

    class Meta:
        model = User
        fields = ("nickname", "bio", "city", "shows_all_cities")
        field_classes: ClassVar = {"city": CityField}
        widgets: ClassVar = {"bio": forms.Textarea({"rows": 3})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.avatar:
            self.fields["picture"].label = pgettext_lazy("person", "Picture")

    @property
    def drawn_faces(self) -> list[tuple[str, str, bool]]:
        """The name, the drawing and whether it was chosen of each face that one may show."""
        chosen = self.data.get(PictureInput.FACE_FIELD)
        return [(name, f"img/faces/{name}.svg", name == chosen) for name in avatars.FACES]

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """The picture that is there, and the city in the reader's language, whichever name is stored."""
        if field_name == "picture":
            return self.instance.avatar
        value = super().get_initial_for_field(field, field_name)
        return city_names.localize(value) if field_name == "city" and value else value

    def clean_picture(self) -> bytes | None:
        picture: Any = self.cleaned_data["picture"]
        try:
            if isinstance(picture, UploadedFile):
                return avatars.redraw(picture, owner_id=self.instance.pk)
            return None
        except Problem as problem:
            if problem.retry_after:
                self.status, self.retry_after = HTTPStatus(problem.status), problem.retry_after
            raise ValidationError(problem.detail, code=problem.code) from None
