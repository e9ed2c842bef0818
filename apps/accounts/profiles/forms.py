"""The form of a profile."""

from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.accounts import city_names
from apps.accounts.forms import ShowsRefusals
from apps.accounts.models import User
from apps.accounts.profiles import avatars
from apps.web.form_state import KeepsOthersChanges
from apps.web.problems import Problem


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
    def faces(self) -> list[tuple[str, str, bool]]:
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
