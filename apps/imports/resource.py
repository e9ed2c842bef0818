"""The base of what apps import: a resource of django-import-export that is given a file batch by batch."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Model
from django.utils import translation
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from import_export import resources
from import_export.fields import Field
from import_export.results import RowResult
from tablib import Dataset

from apps.imports.reading import BadFile, Row

#: Values of cells by column.
Values = dict[str, str]


class BatchResource(resources.ModelResource):
    """Rows of one file. An empty cell leaves what is there; an unchanged row is not written.

    One instance lives as long as the reading of its file, and refuses a row that came before.
    """

    #: What a person needs to import it.
    permissions: ClassVar[Sequence[str]] = ()
    #: Other names of columns, in small letters.
    aliases: ClassVar[Mapping[str, str]] = {}
    #: What an export calls its columns; a file may have them in any of the site's languages.
    titles: ClassVar[Mapping[str, Any]] = {}

    class Meta:
        import_id_fields = ()
        use_bulk = True
        batch_size = None
        skip_diff = True
        skip_unchanged = True
        report_skipped = True
        store_instance = True
        use_transactions = False

    def __init__(self, *, delimiter: str = ",", **options: Any) -> None:
        super().__init__(**options)
        #: What parts the file's cells: it says which sign parts decimals.
        self.delimiter = delimiter
        self.create_instances: list[Any] = []
        self.update_instances: list[Any] = []
        #: Hash of a row's key -> its line; 100,000 take 10 MB.
        self._lines: dict[int, int] = {}
        self._attribute_fields = [field for field in self.get_import_fields() if field.attribute]

    # -- what apps say -------------------------------------------------------------------------
    def row_key(self, _values: Values) -> str:
        """What two rows about the same thing have in common; "" when the row doesn't say."""
        raise NotImplementedError

    def load_batch(self, rows: Sequence[Values]) -> None:
        """Read what these rows need of SQL, with as many queries for a thousand as for one."""

    def find(self, _values: Values) -> Model | None:
        """The row of the table that a row of the file is about, out of what `load_batch` read."""
        raise NotImplementedError

    def write_new(self, instances: list[Any]) -> None:
        raise NotImplementedError

    def write_changed(self, instances: list[Any], columns: Collection[str]) -> None:
        raise NotImplementedError

    def complete(self, instance: Any, values: Values) -> None:
        """Set what follows from several cells; ValidationError."""

    def validate(self, instance: Any) -> None:
        """ValidationError for what must not be written; without a query."""
        instance.clean_fields()
        instance.clean()

    def describe_doubt(self, _instance: Any) -> str:
        """What a person should know of a row that is taken all the same; "" for nothing."""
        return ""

    # -- what the import calls -----------------------------------------------------------------
    def name_columns(self, headings: Sequence[str]) -> list[str]:
        """The column of each heading, "" for one that means nothing here; BadFile for two of one meaning."""
        known = {field.column_name: field.column_name for field in self.fields.values()}
        meanings = self._read_titles() | dict(self.aliases) | known
        names = [meanings.get(heading.strip().casefold(), "") for heading in headings]
        for place, name in enumerate(names):
            if name and (first := names.index(name)) != place:
                sentence = _(
                    "The columns “%(one).40s” and “%(other).40s” mean the same: take one of them out."
                )
                raise BadFile(sentence % {"one": headings[first], "other": headings[place]})
        return names

    def _read_titles(self) -> dict[str, str]:
        found = {}
        for language, _name in settings.LANGUAGES:
            with translation.override(language):
                found.update({str(title).casefold(): name for name, title in self.titles.items()})
        return found

    def import_rows(self, columns: Sequence[str], rows: Sequence[Row], *, dry_run: bool) -> list[RowResult]:
        """Import a batch; a result a row, in their order. It writes in the caller's transaction."""
        batch = [{name: cell for name, cell in zip(columns, row.cells, strict=True) if name} for row in rows]
        self.load_batch(batch)
        table = Dataset(headers=["_line", *(name for name in columns if name)])
        for row, values in zip(rows, batch, strict=True):
            table.append([row.line, *values.values()])
        result = self.import_data_inner(
            table, dry_run, raise_errors=False, using_transactions=False, collect_failed_rows=False
        )
        for base in result.base_errors:
            raise base.error
        return list(result.rows)

    def note(self, columns: Sequence[str], row: Row) -> None:
        """Remember a row that was imported before, so that a later one of its kind is refused."""
        if not row.problem:
            self._note({name: cell for name, cell in zip(columns, row.cells, strict=True) if name}, row.line)

    def _note(self, values: Values, line: int) -> int:
        key = self.row_key(values)
        return self._lines.setdefault(hash(key), line) if key else line

    # -- django-import-export's hooks ----------------------------------------------------------
    def before_import_row(self, row: Any, **options: Any) -> None:
        line = row.pop("_line")
        if (before := self._note(row, line)) != line:
            raise ValidationError(_("It is about the same thing as row %(line)d.") % {"line": before})

    def get_instance(self, _loader: Any, row: Any) -> Model | None:
        return self.find(row)

    def after_init_instance(self, instance: Any, new: bool, row: Any, **options: Any) -> None:
        instance.stored_values = None if new else self._read(instance)

    def import_instance(self, instance: Any, row: Any, **options: Any) -> None:
        errors: dict[str, Any] = {}
        for field in self._attribute_fields:
            if row.get(field.column_name):
                try:
                    self._import_cell(field, instance, row)
                except ValueError as error:
                    errors[field.attribute] = ValidationError(str(error))
        try:
            self.complete(instance, row)
        except ValidationError as error:
            errors = error.update_error_dict(errors)
        if errors:
            raise ValidationError(errors)

    def _import_cell(self, field: Field, instance: Any, row: Any) -> None:
        """Set the attribute, unless the cell is what an export writes of it: that leaves it as it is."""
        stored = getattr(instance, field.attribute)
        self.import_field(field, instance, row, delimiter=self.delimiter)
        is_other = instance.stored_values and stored not in {None, getattr(instance, field.attribute)}
        if is_other and _write(field, stored) == row[field.column_name].strip():
            setattr(instance, field.attribute, stored)

    def skip_row(self, instance: Any, original: Any, row: Any, import_validation_errors: Any = None) -> bool:
        if import_validation_errors or instance.stored_values is None:
            return False
        now = self._read(instance)
        instance.changed_columns = [name for name in now if now[name] != instance.stored_values[name]]
        return not instance.changed_columns

    def validate_instance(self, instance: Any, errors: Any = None, validate_unique: bool = True) -> None:
        if errors:
            raise ValidationError(errors)
        self.validate(instance)

    def bulk_create(self, _transactions: bool, dry_run: bool, *_: Any, **options: Any) -> None:
        new, self.create_instances = self.create_instances, []
        if new and not dry_run:
            self.write_new(new)

    def bulk_update(self, _transactions: bool, dry_run: bool, *_: Any, **options: Any) -> None:
        changed, self.update_instances = self.update_instances, []
        if changed and not dry_run:
            self.write_changed(changed, {name for one in changed for name in one.changed_columns})

    def _read(self, instance: Any) -> dict[str, Any]:
        return {name: getattr(instance, name) for name in self.written_columns()}

    def written_columns(self) -> Sequence[str]:
        """The attributes that a row may change."""
        return [field.attribute for field in self.fields.values() if field.attribute]


def _write(field: Field, value: Any) -> str:
    """A value as an export has it, and as a file's cell is read."""
    return str(field.widget.render(value)).strip()


def describe_error(result: RowResult, model: type[Model]) -> str:
    """Why a row was refused, in a sentence or some: "Latitude: Write a number."."""
    error = result.validation_error
    if error is None:
        return " ".join(str(one.error) for one in result.errors)
    if not hasattr(error, "error_dict"):
        return " ".join(error.messages)
    return " ".join(
        text if name == NON_FIELD_ERRORS else f"{_label(model, name)}: {text}"
        for name, texts in error.message_dict.items()
        for text in texts
    )


def _label(model: type[Model], name: str) -> str:
    fields = {field.name: field for field in model._meta.get_fields()}
    return capfirst(str(getattr(fields.get(name), "verbose_name", name)))
